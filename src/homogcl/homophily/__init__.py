"""The idea of the paper: clusters, saliency, positives, and the plug-in made of them."""
