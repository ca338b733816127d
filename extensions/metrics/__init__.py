"""Metrics of the site for Prometheus."""
