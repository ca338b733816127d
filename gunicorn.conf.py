"""How gunicorn serves the site. It reads this in the directory it starts in; options of its command come first."""

import os

worker_class = "benchmark.web.worker.Worker"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
threads = 8  # of pages; those of uploads come on top (benchmark/web/worker.py)
worker_connections = 500  # of a process, and below the 1,024 files that one may open on many machines
timeout = 120
limit_request_field_size = 32_768  # all cookies that a browser keeps of one site
forwarded_allow_ips = ""  # whose X-Forwarded headers count is VECBOARD_PROXY_ADDRESSES' to say
logger_class = "benchmark.web.logger.Logger"
control_socket_disable = True
