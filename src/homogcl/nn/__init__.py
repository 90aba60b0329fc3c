"""Networks over a graph: sparse products, layers, encoders."""
