/** How a Kafka knows who asks, as the settings say it. */
import type { KafkaSecurity } from '@svc/infra/bus/kafka/kafka-bus'
import type { Settings } from '../settings/settings.ts'

export function securityOf({
  SVC_KAFKA_TLS: tls,
  SVC_KAFKA_SASL: mechanism,
  SVC_KAFKA_USERNAME: username,
  SVC_KAFKA_PASSWORD: password,
}: Settings): KafkaSecurity {
  const isWhole = mechanism !== undefined && username !== undefined && password !== undefined
  return {
    tls: tls === 'on',
    login: isWhole ? { mechanism, username, password } : undefined,
  }
}
