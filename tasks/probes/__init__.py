"""Linear probes: what a simple classifier reads from vectors that are not trained further (Tsvetkov et al. 2015)."""
