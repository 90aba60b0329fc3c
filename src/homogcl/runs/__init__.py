"""From a request to a trained model, its folder and its record."""
