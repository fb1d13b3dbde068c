/** Reads and writes the rows of the statement view. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { accountStream } from '@svc/contracts/events/account'
import type { StoredEventType } from '../../projection/decode.ts'
import type { RowTable } from '../touched-rows.ts'
import type { StatementEntryType, StatementRow } from '../views.ts'
import type { KeyName, NewEntry, RunningRequest, StatementHead } from './project.ts'

export interface StoredEntry {
  readonly account_id: string
  readonly entry: number
  readonly at: number
  readonly type: StatementEntryType
  readonly reference: string
  readonly description: string
  readonly amount: string
  readonly balance: string
  readonly event_revision: number
  readonly event_hash: string
  readonly payment: string | null
}

const eventTypes: Readonly<Record<StatementEntryType, StoredEventType>> = {
  grant: 'CreditGranted',
  usage: 'CreditDebited',
  expiry: 'CreditExpired',
  void: 'GrantVoided',
  refund: 'CreditRefunded',
  adjustment: 'BalanceAdjusted',
  closing: 'AccountClosed',
}

/** Numbers entries and keeps them until the next flush. */
export class NewEntries {
  readonly #insert: StatementSync
  readonly #selectLast: StatementSync
  readonly #waiting: NewEntry[] = []
  #lastNumber: number | undefined

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO entries VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)')
    this.#selectLast = database.prepare('SELECT coalesce(max(number), 0) AS last FROM entries')
  }

  /** @returns the number of the entry */
  add(entry: NewEntry): number {
    this.#waiting.push(entry)
    return this.#storedEntries() + this.#waiting.length
  }

  flush(): void {
    let number = this.#storedEntries()
    for (const entry of this.#waiting) {
      number += 1
      this.#write(number, entry)
    }
    this.#waiting.length = 0
    this.#lastNumber = number
  }

  clear(): void {
    this.#waiting.length = 0
    this.#lastNumber = undefined
  }

  #storedEntries(): number {
    this.#lastNumber ??= (this.#selectLast.get() as { last: number }).last
    return this.#lastNumber
  }

  #write(number: number, row: NewEntry): void {
    this.#insert.run(
      number,
      row.above,
      row.accountId,
      row.entry,
      row.at,
      row.type,
      row.reference,
      row.description,
      row.amount,
      row.balance,
      row.eventRevision,
      row.eventHash,
      row.paymentReference,
    )
  }
}

export function headsTable(database: DatabaseSync): RowTable<StatementHead> {
  const select = database.prepare('SELECT number, entry, at FROM heads WHERE account_id = ?')
  const insert = database.prepare('INSERT INTO heads VALUES (?,?,?,?)')
  const update = database.prepare(
    'UPDATE heads SET number = ?, entry = ?, at = ? WHERE account_id = ?',
  )
  const remove = database.prepare('DELETE FROM heads WHERE account_id = ?')
  return {
    load(accountId) {
      const row = select.get(accountId) as Omit<StatementHead, 'accountId'> | undefined
      return row === undefined ? undefined : { accountId, ...row }
    },
    insert: (row) => void insert.run(row.accountId, row.number, row.entry, row.at),
    update: (row) => void update.run(row.number, row.entry, row.at, row.accountId),
    remove: (accountId) => void remove.run(accountId),
  }
}

export function runningTable(database: DatabaseSync): RowTable<RunningRequest> {
  const select = database.prepare('SELECT key_id, model FROM running WHERE request_id = ?')
  const insert = database.prepare('INSERT INTO running VALUES (?,?,?)')
  const update = database.prepare('UPDATE running SET key_id = ?, model = ? WHERE request_id = ?')
  const remove = database.prepare('DELETE FROM running WHERE request_id = ?')
  return {
    load(requestId) {
      const row = select.get(requestId) as { key_id: string; model: string } | undefined
      return row === undefined ? undefined : { requestId, keyId: row.key_id, model: row.model }
    },
    insert: (row) => void insert.run(row.requestId, row.keyId, row.model),
    update: (row) => void update.run(row.keyId, row.model, row.requestId),
    remove: (requestId) => void remove.run(requestId),
  }
}

export function keyNamesTable(database: DatabaseSync): RowTable<KeyName> {
  const select = database.prepare('SELECT name FROM key_names WHERE key_id = ?')
  const insert = database.prepare('INSERT INTO key_names VALUES (?,?)')
  const update = database.prepare('UPDATE key_names SET name = ? WHERE key_id = ?')
  const remove = database.prepare('DELETE FROM key_names WHERE key_id = ?')
  return {
    load(keyId) {
      const row = select.get(keyId) as { name: string } | undefined
      return row === undefined ? undefined : { keyId, name: row.name }
    },
    insert: (row) => void insert.run(row.keyId, row.name),
    update: (row) => void update.run(row.name, row.keyId),
    remove: (keyId) => void remove.run(keyId),
  }
}

export function readEntry(row: StoredEntry): StatementRow {
  const amount = BigInt(row.amount)
  return {
    entry: row.entry,
    accountId: row.account_id,
    at: row.at,
    type: row.type,
    reference: row.reference,
    paymentReference: row.payment,
    description: row.description,
    debit: amount < 0n ? -amount : 0n,
    credit: amount > 0n ? amount : 0n,
    balance: BigInt(row.balance),
    event: {
      type: eventTypes[row.type],
      stream: accountStream(row.account_id),
      revision: row.event_revision,
      hash: row.event_hash,
    },
  }
}
