"""Reports of entries that ship with the program: a new board begins with them."""
