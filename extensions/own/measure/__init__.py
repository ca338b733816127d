"""Which vectors serve one's own data: labelled texts, or queries with texts to find (docs/protocol.md §8.10)?"""
