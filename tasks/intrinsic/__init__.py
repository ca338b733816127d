"""Word tasks: properties of the vectors themselves, without training on them."""
