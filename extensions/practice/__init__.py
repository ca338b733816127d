"""Which intrinsic score predicts practice? Correlations over the entries of the leaderboard."""
