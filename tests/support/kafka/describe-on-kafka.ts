/**
 * For tests: what is said of a real Kafka, of the one that `KAFKA_BROKERS` names or of one that the
 * test starts. Where there is none the tests are skipped and say why; in CI that is a failure.
 */
import { describe, expect, test } from 'vitest'
import { kafkaPlace } from './kafka-place.ts'

/** What is named may be used, and not broken. */
export function describeOnKafka(name: string, body: () => void): void {
  if (kafkaPlace() !== 'missing') describe(name, body)
  else describeMissing(name)
}

/** For faults: only of brokers that the test itself has started. */
export function describeOnOwnKafka(name: string, body: () => void): void {
  const place = kafkaPlace()
  if (place === 'own') describe(name, body)
  else if (place === 'missing') describeMissing(name)
  else
    describe.skip(`${name} [not on brokers that KAFKA_BROKERS names: they may not be broken]`, body)
}

function describeMissing(name: string): void {
  if (process.env.CI) {
    test(`${name} needs Java and Maven, a container engine, or KAFKA_BROKERS`, () => {
      expect(kafkaPlace()).not.toBe('missing')
    })
    return
  }
  describe.skip(`${name} [no Java and Maven, no container engine, and KAFKA_BROKERS is not set]`, () => {
    test('is not shown here', () => {})
  })
}
