# A Redis for tests, where the public image cannot be had. As that one it takes connections from
# other containers.
ARG BASE=debian:bookworm-slim
FROM ${BASE}
RUN apt-get update -qq \
  && apt-get install -qq --yes --no-install-recommends redis-server \
  && rm -rf /var/lib/apt/lists/*
USER redis
EXPOSE 6379
ENTRYPOINT ["sh", "-c", "exec \"$@\" --protected-mode no", "--"]
CMD ["redis-server"]
