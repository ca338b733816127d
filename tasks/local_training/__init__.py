"""Vectors trained on a corpus of one's own: skip-gram, CBOW and fastText by gensim, GloVe by our own program."""
