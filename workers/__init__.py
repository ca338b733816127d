"""When and where evaluation runs: jobs, devices, retries, and the sweeper that restarts lost work."""
