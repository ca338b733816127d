"""Word tasks: what the vectors say by themselves, without training anything on them."""
