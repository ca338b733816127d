"""Human judgements of words, as arrays: preferences in triads, and free associations."""
