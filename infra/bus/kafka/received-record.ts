import { isUtf8 } from 'node:buffer'
import type { ReceivedRecord } from '@svc/contracts/ports/bus'
import type { KafkaMessage } from 'kafkajs'

/**
 * Reads a record. What another program wrote need not have a key or a value: then they are empty.
 */
export function receivedRecord(
  partition: number,
  { key, value, headers, offset }: KafkaMessage,
): ReceivedRecord {
  return {
    key: String(key ?? ''),
    // A value that is no UTF-8 stays bytes: as text, values that differ could look alike.
    ...(value === null || isUtf8(value)
      ? { value: String(value ?? '') }
      : { value: '', bytes: value }),
    headers: Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, header]) => [name, String(header ?? '')]),
    ),
    partition,
    offset: BigInt(offset),
  }
}
