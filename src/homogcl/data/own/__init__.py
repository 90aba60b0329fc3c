"""A user's own graph: from files to the form that every method takes."""
