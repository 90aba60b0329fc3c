"""Small changes to graphs that several tests need."""

from homogcl.testing.graphs import permuted, same, snapshot, with_isolated

__all__ = ["permuted", "same", "snapshot", "with_isolated"]
