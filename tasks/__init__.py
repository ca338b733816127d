"""The measurement: vector files in, reports out. Knows nothing of the site (Django) or of the queue (Celery)."""
