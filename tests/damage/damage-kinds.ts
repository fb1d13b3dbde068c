/** Kinds of damage: how each is done to a stream, and what is said of it. */
import { alterFile } from '@svc/infra/event-store/compliance/alter-file'
import { type DamagedService, PREFIX } from '@svc/testing/damaged-service'

export interface DamageKind {
  /** What `svc verify` and the quarantine say. */
  readonly cause: RegExp
  /** Whether the server was told to hide or to delete events, and holds none that is wrong. */
  readonly isOrder?: boolean
  readonly damage: (service: DamagedService, stream: string, otherStream: string) => void
}

const metadata = '{"schemaVersion":1,"correlationId":"x","causationId":"x","actor":"nobody"}'
/** As our adapter lays an event out, with a hash that no chain contains. */
const forgedMetadata = JSON.stringify({
  id: '00000000-0000-4000-8000-000000000000',
  hash: 'ab'.repeat(32),
  metadata,
})
const expired = JSON.stringify({ grantId: 'grant_x', amount: '1', balanceAfter: '1', at: 1 })

const foreign = (type: string, data: string, laidOut?: string): DamageKind['damage'] => {
  return ({ double }, stream) =>
    double?.writeForeign(PREFIX + stream, {
      type,
      data,
      ...(laidOut === undefined ? {} : { metadata: laidOut }),
    })
}

export const serverKinds: Readonly<Record<string, DamageKind>> = {
  'a tombstone': {
    cause: /it was deleted for ever/,
    damage: ({ double }, stream) => double?.deleteStream(PREFIX + stream, true),
    isOrder: true,
  },
  'a deletion': {
    // An append that comes before it is seen makes the server write a `$tb` of its own.
    cause: /it was deleted|its metadata has \$tb/,
    damage: ({ double }, stream) => double?.deleteStream(PREFIX + stream),
    isOrder: true,
  },
  'an order to forget': {
    cause: /its metadata has \$maxCount/,
    damage: ({ double }, stream) => double?.setStreamMetadata(PREFIX + stream, { $maxCount: 1 }),
    isOrder: true,
  },
  'an event of an unknown type': {
    cause: /CreditConjured: its type is unknown/,
    damage: foreign('CreditConjured', '{}', forgedMetadata),
  },
  'an event of a newer schema version': {
    cause: /CreditExpired has schema version 7/,
    damage: foreign(
      'CreditExpired',
      expired,
      JSON.stringify({ ...JSON.parse(forgedMetadata), metadata: '{"schemaVersion":7}' }),
    ),
  },
  'bytes that are no JSON': {
    cause: /CreditExpired: its (metadata name no schema version|data are no JSON)/,
    damage: foreign('CreditExpired', 'garbage'),
  },
  'an event without our metadata': {
    cause: /CreditExpired: its metadata name no schema version/,
    damage: foreign('CreditExpired', expired, '{"who":"somebody"}'),
  },
  'a forged event with a hash of nowhere': {
    cause: /does not fit the chain|grant_x/,
    damage: foreign('CreditExpired', expired, forgedMetadata),
  },
  'an event of the price list': {
    cause: /do not belong into this stream/,
    damage: foreign('PriceWithdrawn', '{}', forgedMetadata),
  },
}

const sql =
  (statement: string): DamageKind['damage'] =>
  ({ ledgerFile }, stream, other) =>
    alterFile(ledgerFile, statement, { stream, other })

const LAST = '(SELECT max(revision) FROM event WHERE stream_id = :stream)'
const FORGED = `SELECT (SELECT max(position) + 1 FROM event), :stream, ${LAST} + 1, randomblob(16)`

export const fileKinds: Readonly<Record<string, DamageKind>> = {
  'an altered amount': {
    cause: /does not fit the chain/,
    damage: sql(
      `UPDATE event SET data = replace(data, '"balanceAfter":"', '"balanceAfter":"9')
       WHERE stream_id = :stream AND type = 'CreditDebited'`,
    ),
  },
  'a row of garbage': {
    cause: /its data are no JSON|does not fit the chain/,
    damage: sql(
      `UPDATE event SET data = 'garbage' WHERE stream_id = :stream AND revision = ${LAST}`,
    ),
  },
  'an altered type': {
    cause: /its type is unknown/,
    damage: sql(
      `UPDATE event SET type = 'CreditConjured' WHERE stream_id = :stream AND revision = ${LAST}`,
    ),
  },
  'an altered hash': {
    cause: /does not fit the chain/,
    damage: sql(
      `UPDATE event SET hash = zeroblob(32) WHERE stream_id = :stream AND revision = ${LAST}`,
    ),
  },
  'a row that is gone': {
    cause: /the event is missing/,
    damage: sql(`DELETE FROM event WHERE stream_id = :stream AND revision = ${LAST} - 1`),
  },
  'a row that was added': {
    cause: /its type is unknown/,
    damage: sql(`INSERT INTO event ${FORGED}, 'CreditConjured', '{}', '${metadata}', zeroblob(32)`),
  },
  "a row of another account's stream": {
    cause: /does not fit the chain/,
    damage: sql(
      `INSERT INTO event ${FORGED}, type, data, metadata, hash FROM event
       WHERE stream_id = :other AND revision = 0`,
    ),
  },
}
