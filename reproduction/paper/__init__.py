"""The tables of the paper beside what is measured here."""
