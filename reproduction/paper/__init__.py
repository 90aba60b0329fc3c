"""The tables of the paper beside our measurements."""
