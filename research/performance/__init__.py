"""Speed and memory, measured side by side with peers: scripts that print the tables of docs/."""
