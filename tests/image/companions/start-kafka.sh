# Starts one broker with what the variables KAFKA_… say: KAFKA_LOG_DIRS is the setting log.dirs.
set -eu
properties=/etc/kafka/server.properties
env | sed -n 's/^KAFKA_//p' | while IFS='=' read -r name value; do
  printf '%s=%s\n' "$(printf %s "$name" | tr 'A-Z_' 'a-z.')" "$value"
done >"$properties"
# Small and quick to start, not quick at its peak.
set -- -Xms128m -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
  -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp '/opt/kafka/libs/*'
cluster=c3ZjLXRlc3RzLWthZmthMQ
java "$@" kafka.tools.StorageTool format --ignore-formatted -t "$cluster" -c "$properties"
exec java "$@" kafka.Kafka "$properties"
