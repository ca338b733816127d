"""Translation between entries of two languages."""
