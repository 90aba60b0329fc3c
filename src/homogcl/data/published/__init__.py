"""The published data sets: where their files lie, and a reader for each format."""
