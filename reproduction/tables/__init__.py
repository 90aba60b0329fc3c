"""Tables of this repository, made of records."""
