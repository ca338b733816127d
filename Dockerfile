# One image for web, worker and beat; compose.yaml sets their commands.
#   docker build --target cpu --build-arg TORCH_INDEX=<index with CPU builds of torch> --tag vecboard:cpu .
#   docker build --target cuda --tag vecboard:cuda .
# Pinned by digest: --build-arg PYTHON_IMAGE=python:3.11.14-slim-bookworm@sha256:… (docs/running.md shows how to look it up)
ARG PYTHON_IMAGE=python:3.11.14-slim-bookworm
FROM ${PYTHON_IMAGE} AS base
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

FROM base AS packages
RUN python -m venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH
WORKDIR /build
COPY requirements.txt requirements-extras.txt torch.txt torch-locked.txt ./
RUN pip install --require-hashes -r requirements.txt -r requirements-extras.txt

FROM packages AS packages-cuda
RUN pip install --no-deps --require-hashes -r torch-locked.txt && pip install -r torch.txt

FROM packages AS packages-cpu
ARG TORCH_INDEX=""
RUN pip install ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} -r torch.txt

# The pages of the documentation link to tests and studies, which an image leaves out: not strict, unlike `make docs`.
FROM packages AS docs
COPY . .
RUN NO_MKDOCS_2_WARNING=1 VECBOARD_HOME=/ python -m mkdocs build --quiet --no-strict --site-dir /site/docs

FROM base AS site
# pg_dump and pg_restore, for backups: of the version that compose.yaml's server has
ARG POSTGRES_VERSION=15
RUN apt-get update && \
  apt-get install --yes --no-install-recommends "postgresql-client-${POSTGRES_VERSION}=${POSTGRES_VERSION}.*" && \
  rm -rf /var/lib/apt/lists/*
ENV PATH=/opt/venv/bin:$PATH VECBOARD_VAR=/var/lib/vecboard VECBOARD_DATA=/var/lib/vecboard/data HOST=0.0.0.0 PORT=8000
RUN useradd --system --uid 10001 --home-dir /var/lib/vecboard --create-home vecboard
ENV VECBOARD_DOCS=/app/site
WORKDIR /app
COPY --chown=root:root . .
COPY --from=docs --chown=root:root /site site
VOLUME /var/lib/vecboard
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
  CMD ["python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/healthz', timeout=4)"]
CMD ["python", "manage.py", "up"]

FROM site AS cuda
COPY --from=packages-cuda /opt/venv /opt/venv
RUN VECBOARD_VAR=/tmp/build python manage.py collectstatic --noinput && rm -rf /tmp/build
USER 10001

FROM site AS cpu
COPY --from=packages-cpu /opt/venv /opt/venv
RUN VECBOARD_VAR=/tmp/build python manage.py collectstatic --noinput && rm -rf /tmp/build
USER 10001
