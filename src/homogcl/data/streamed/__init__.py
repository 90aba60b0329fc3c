"""Tables that do not fit in memory: read a block at a time, sorted and joined on disk."""
