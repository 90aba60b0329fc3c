"""The study beyond the paper: when homophily helps, and why."""
