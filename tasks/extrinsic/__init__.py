"""Downstream tasks: small networks trained on top of the vectors, frozen or fine-tuned (PROTOCOL.md §2)."""
