"""SimCLR on images: the other side of the paper's comparison of vision with graphs."""
