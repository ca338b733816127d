"""Human judgements of words, as arrays: preferences in triads, associations, and models' distances from them."""
