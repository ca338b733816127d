"""The generated labelled sets of the demo suite."""
