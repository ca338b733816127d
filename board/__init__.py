"""A board worth opening: a family of vectors on a suite's prescribed corpus, submitted through the site itself.

``python -m board make`` trains, submits and follows them; ``dump`` and ``load`` carry the reports to other sites.
"""
