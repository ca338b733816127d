"""What others do, written plainly from their papers or called as they publish it: the other side of a table."""
