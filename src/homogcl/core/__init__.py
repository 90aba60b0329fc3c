"""What every stage stands on: errors, files, signals, seeds, settings, memory, processes."""
