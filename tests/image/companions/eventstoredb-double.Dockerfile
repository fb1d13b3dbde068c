# What stands for EventStoreDB in tests, where its image cannot be had: the double, on the Node and
# the packages of the image of svc. It keeps its log in memory.
ARG SVC
FROM ${SVC}
COPY . /app/tests/support
EXPOSE 2113
ENTRYPOINT ["node", "/app/tests/support/eventstoredb/main.ts"]
CMD ["--host", "0.0.0.0", "--port", "2113"]
HEALTHCHECK NONE
