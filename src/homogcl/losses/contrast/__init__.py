"""One InfoNCE family: exact in tiles, sampled, weighted, between views."""
