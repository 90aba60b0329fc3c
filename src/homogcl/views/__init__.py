"""Random views of a graph and parts of it, as training steps see them."""
