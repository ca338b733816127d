"""Fill a board: train a family of embeddings on a suite's prescribed corpus and submit them through the site itself.

``python -m research.board make`` trains, submits and follows them; ``dump`` writes the reports to a file, which
``manage.py load_board`` puts on other boards.
"""
