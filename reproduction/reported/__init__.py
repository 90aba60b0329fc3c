"""The numbers that the paper prints, apart from measured ones."""
