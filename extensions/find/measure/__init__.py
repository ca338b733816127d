"""The chart of quality against cost, which search results and ``python -m tasks front`` draw."""
