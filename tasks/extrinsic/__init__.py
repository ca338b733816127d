"""Downstream tasks: small networks trained on top of the vectors, frozen or fine-tuned (docs/protocol.md §2)."""
