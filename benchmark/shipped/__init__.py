"""Shipped entries: reports with which every new board begins."""
