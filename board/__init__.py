"""Fill a board: train a family of embeddings on a suite's prescribed corpus and submit them through the site itself.

``python -m board make`` trains, submits and follows them; ``dump`` and ``load`` copy the reports to other sites.
"""
