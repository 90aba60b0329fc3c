"""The InfoNCE family: exact, sampled, weighted, or between views only."""
