"""The leaderboard as an image or in a frame, and badges of entries, for other pages."""
