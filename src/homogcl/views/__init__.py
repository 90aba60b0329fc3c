"""What one step sees of a graph: random views of it, or a part of it."""
