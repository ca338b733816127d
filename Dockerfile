# One image for web, worker and beat; compose.yaml sets their commands.
#   docker build --target cpu --build-arg TORCH_INDEX=<index with CPU builds of torch> --tag vecboard:cpu .
#   docker build --target cuda --tag vecboard:cuda .
# deploy/prove builds it without Docker and follows an upload to its report.
ARG PYTHON_IMAGE=python:3.11.14-slim-bookworm@sha256:65a93d69fa75478d554f4ad27c85c1e69fa184956261b4301ebaf6dbb0a3543d
FROM ${PYTHON_IMAGE} AS base
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
# pg_dump and pg_restore, for backups: of the version that compose.yaml's server has
ARG POSTGRES_VERSION=15
RUN apt-get update && \
  apt-get install --yes --no-install-recommends "postgresql-client-${POSTGRES_VERSION}=${POSTGRES_VERSION}.*" && \
  rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --home-dir /var/lib/vecboard --create-home vecboard
# Modules are compiled while the image is built, as a read-only one cannot keep them. Python's own come without in the
# official image; pip compiles the packages.
RUN python -m venv /opt/venv && python -m compileall -q "$(python -c "import sysconfig; print(sysconfig.get_path('stdlib'))")"
ENV PATH=/opt/venv/bin:$PATH VECBOARD_VAR=/var/lib/vecboard VECBOARD_DATA=/var/lib/vecboard/data VECBOARD_DOCS=/app/site
ENV HOST=0.0.0.0 PORT=8000
WORKDIR /app
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
  CMD ["python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/healthz', timeout=4)"]
CMD ["python", "manage.py", "up"]

FROM base AS packages
COPY requirements.txt requirements-extras.txt torch.txt torch-locked.txt ./
RUN pip install --require-hashes -r requirements.txt -r requirements-extras.txt

# The program, its documentation and its collected files. The documentation links to tests and studies, which an image leaves
# out: not strict, unlike `make docs`.
FROM packages AS site
COPY . .
RUN NO_MKDOCS_2_WARNING=1 VECBOARD_HOME=/ python -m mkdocs build --quiet --no-strict --site-dir site/docs
RUN VECBOARD_VAR=/tmp/build python manage.py collectstatic --noinput && rm -rf /tmp/build
RUN python -m compileall -q --invalidation-mode unchecked-hash .

FROM packages AS cuda
RUN pip install --no-deps --require-hashes -r torch-locked.txt && pip install -r torch.txt
COPY --from=site /app /app
VOLUME /var/lib/vecboard
USER 10001

FROM packages AS cpu
ARG TORCH_INDEX=""
RUN pip install ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} -r torch.txt
COPY --from=site /app /app
VOLUME /var/lib/vecboard
USER 10001
