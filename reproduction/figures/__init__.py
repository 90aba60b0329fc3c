"""The paper's figures, each from its runs to its files."""
