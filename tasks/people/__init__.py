"""What people say about words, as arrays: preferences in triads, associations, and how far models are from them."""
