# The environment of requirements.lock with the study: `docker build -t consensus-embedding .`, see docs/clusters.md.
FROM python:3.12-slim-bookworm
RUN apt-get update && apt-get install --yes --no-install-recommends git make \
    && rm -rf /var/lib/apt/lists/* && useradd --create-home study
USER study
WORKDIR /home/study/consensus-embedding
COPY --chown=study . .
RUN make install && .venv/bin/uv cache clean
CMD ["make"]
