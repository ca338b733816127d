"""When and where the measurement runs: jobs, devices, retries, and the sweeper that repairs what got lost."""
