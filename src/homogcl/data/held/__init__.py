"""Graphs that people hold in Python, in whatever form, as the one that every method takes."""
