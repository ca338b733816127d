"""Running a job: the claim, the heartbeat, retries, and what the machine gives it."""
