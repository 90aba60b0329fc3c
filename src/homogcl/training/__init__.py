"""The one training loop, its checkpoints, and when it stops."""
