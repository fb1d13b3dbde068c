/** Whose texts were erased, and how often: what a file of texts must not hold any more. */
import type { DatabaseSync } from 'node:sqlite'
import type { DecodedEvent } from '../../projection/decode.ts'
import { type RowTable, rowsByKey, type TouchedRows } from '../touched-rows.ts'

export interface ErasureRow {
  /** The id of an account, or of what is no account's, such as an admin token. */
  readonly subject: string
  erasures: number
}

export function erasuresTable(database: DatabaseSync): RowTable<ErasureRow> {
  const insert = database.prepare('INSERT INTO erasures VALUES (?,?)')
  const update = database.prepare('UPDATE erasures SET erasures = ? WHERE subject = ?')
  return {
    ...rowsByKey(database, { table: 'erasures', key: 'subject', read: (row: ErasureRow) => row }),
    insert: ({ subject, erasures }) => void insert.get(subject, erasures),
    update: ({ subject, erasures }) => void update.get(erasures, subject),
  }
}

export function projectErasures(
  rows: TouchedRows<ErasureRow>,
  { event, accountId }: DecodedEvent,
): void {
  if (event.type === 'TextsErased') countErasure(rows, accountId)
  else if (event.type === 'SubjectTextsErased') countErasure(rows, event.data.subject)
}

function countErasure(rows: TouchedRows<ErasureRow>, subject: string): void {
  if (rows.find(subject) === undefined) rows.add(subject, { subject, erasures: 1 })
  else rows.change(subject).erasures += 1
}
