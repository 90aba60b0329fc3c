"""What to know before a training: the graph, the cost, the machine, the settings."""
