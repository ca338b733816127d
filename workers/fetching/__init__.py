"""Files that the site fetches from hosts that its operator lists: the guarded connection, and the resumed download."""
