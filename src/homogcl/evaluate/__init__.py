"""What an embedding is worth: arrays in, dictionaries of floats out."""
