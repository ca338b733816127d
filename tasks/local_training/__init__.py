"""Train vectors on a corpus: skip-gram, CBOW and fastText by gensim, GloVe by our own program."""
