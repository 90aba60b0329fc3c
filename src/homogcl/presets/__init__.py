"""Presets: one TOML file per method, each section with its source."""
