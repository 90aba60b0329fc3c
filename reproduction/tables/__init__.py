"""Tables that README and docs show, by name."""
