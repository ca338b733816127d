"""Peers to compare with: plain implementations of papers, or published programs."""
