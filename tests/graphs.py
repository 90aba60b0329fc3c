"""Small changes to graphs that several tests need."""

from homogcl.testing.graphs import dense, permuted, same, snapshot, with_isolated

__all__ = ["dense", "permuted", "same", "snapshot", "with_isolated"]
