"""The paper's tables and figures, from the trainings that they need to the files."""
