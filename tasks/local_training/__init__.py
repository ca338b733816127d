"""Train vectors on your own corpus: skip-gram, CBOW and fastText by gensim, GloVe by our own program."""
