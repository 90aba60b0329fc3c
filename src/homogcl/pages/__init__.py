"""What people look at: the page of a run, charts, tables, the terminal, the demo."""
