"""Tables and figures of the paper, and of a study beyond it: from the trainings to the files."""
