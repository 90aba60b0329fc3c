"""Ratios against peers and limits, measured in one run; `make bench` prints and keeps them."""
