"""Beyond the paper: when homophily helps, and what makes it help."""
