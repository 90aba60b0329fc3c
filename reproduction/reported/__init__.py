"""The numbers that the paper prints, kept apart from measured ones."""
