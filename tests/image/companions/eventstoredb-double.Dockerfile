# What stands for EventStoreDB in tests, where its image cannot be had: the double, on the Node and
# the packages of the image of svc. It keeps its log in memory.
ARG SVC
ARG BASE=debian:bookworm-slim
FROM ${SVC} AS svc
# Not that image itself: testcontainers waits until every port that an image exposes is bound.
FROM ${BASE}
# What Node links to.
RUN apt-get update -qq \
  && apt-get install -qq --yes --no-install-recommends libatomic1 \
  && rm -rf /var/lib/apt/lists/*
COPY --from=svc /app /app
COPY . /app/tests/support
ENV PATH=/app/node_modules/.bin:$PATH
USER nobody
EXPOSE 2113
ENTRYPOINT ["node", "/app/tests/support/eventstoredb/main.ts"]
CMD ["--host", "0.0.0.0", "--port", "2113", "--health"]
