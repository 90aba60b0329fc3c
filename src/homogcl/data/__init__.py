"""Graphs by name or from files: read, checked, normalized and split."""
