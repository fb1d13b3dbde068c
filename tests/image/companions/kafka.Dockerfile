# A Kafka for tests, where the public image cannot be had: the jars that Maven brings, in libs/, and
# settings by the same variables as the public image has.
ARG BASE=debian:bookworm-slim
FROM ${BASE}
RUN apt-get update -qq \
  && apt-get install -qq --yes --no-install-recommends default-jre-headless \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --no-create-home --shell /usr/sbin/nologin kafka \
  && install -d -o kafka -g kafka /var/lib/kafka/data /etc/kafka
COPY libs /opt/kafka/libs
COPY start-kafka.sh /usr/local/bin/start-kafka
USER kafka
EXPOSE 9092
CMD ["sh", "/usr/local/bin/start-kafka"]
