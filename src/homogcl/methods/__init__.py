"""The methods: a contract, a registry, and one short file for each."""
