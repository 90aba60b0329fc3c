"""The paper's figures, from runs to files."""
