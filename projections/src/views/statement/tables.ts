/** Reads and writes the rows of the statement view. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { accountStream, type WireFormat } from '@svc/contracts/events/account'
import type { TokenCounts } from '@svc/contracts/tokens'
import type { StoredEventType } from '../../projection/decode.ts'
import { type SelectOne, select, selectOne } from '../../projection/select.ts'
import type { StatementEntryType, StatementRow } from '../rows/statement-rows.ts'
import type { RowTable } from '../touched-rows.ts'
import type { Gift, KeyName, NewEntry, RunningRequest, StatementHead } from './project.ts'

export interface StoredEntry {
  readonly account_id: string
  readonly entry: number
  readonly at: number
  readonly type: StatementEntryType
  readonly reference: string
  readonly amount: string
  readonly balance: string
  readonly event_revision: number
  readonly event_hash: string
  readonly promotional: string | null
  readonly unpaid: string | null
  readonly input_tokens: number | null
  readonly cached_input_tokens: number | null
  readonly output_tokens: number | null
  readonly description: string | null
  readonly payment: string | null
  readonly actor: string | null
  readonly reason: string | null
  /** The key of the terms that the entry names. */
  readonly key_id: string | null
  readonly key_name: string | null
  readonly model: string | null
  readonly format: WireFormat | null
  readonly price_version: string | null
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
  readonly #selectLast: SelectOne<{ last: number }>
  readonly #waiting: NewEntry[] = []
  #lastNumber: number | undefined

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      'INSERT INTO entries VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)',
    )
    this.#selectLast = selectOne(database, 'SELECT coalesce(max(number), 0) AS last FROM entries')
  }

  /** @returns the number of the entry */
  add(entry: NewEntry): number {
    this.#waiting.push(entry)
    return this.#storedEntries() + this.#waiting.length
  }

  *flush(): Generator<undefined> {
    let number = this.#storedEntries()
    for (const entry of this.#waiting) {
      number += 1
      this.#write(number, entry)
      yield
    }
    this.#waiting.length = 0
    this.#lastNumber = number
  }

  clear(): void {
    this.#waiting.length = 0
    this.#lastNumber = undefined
  }

  #storedEntries(): number {
    this.#lastNumber ??= this.#selectLast.get().last
    return this.#lastNumber
  }

  #write(number: number, row: NewEntry): void {
    this.#insert.get(
      number,
      row.above,
      row.accountId,
      row.entry,
      row.at,
      row.type,
      row.reference,
      row.amount,
      row.balance,
      row.eventRevision,
      row.eventHash,
      row.promotional,
      row.unpaid,
      row.terms,
      row.tokens?.inputTokens ?? null,
      row.tokens?.cachedInputTokens ?? null,
      row.tokens?.outputTokens ?? null,
      row.description,
      row.paymentReference,
      row.actor,
      row.reason,
    )
  }
}

export function headsTable(database: DatabaseSync): RowTable<StatementHead> {
  const one = select<Omit<StatementHead, 'accountId'>>(
    database,
    'SELECT number, entry, at FROM heads WHERE account_id = ?',
  )
  const insert = database.prepare('INSERT INTO heads VALUES (?,?,?,?)')
  const update = database.prepare(
    'UPDATE heads SET number = ?, entry = ?, at = ? WHERE account_id = ?',
  )
  const remove = database.prepare('DELETE FROM heads WHERE account_id = ?')
  return {
    load(accountId) {
      const row = one.get(accountId)
      return row === undefined ? undefined : { accountId, ...row }
    },
    insert: (row) => void insert.get(row.accountId, row.number, row.entry, row.at),
    update: (row) => void update.get(row.number, row.entry, row.at, row.accountId),
    remove: (accountId) => void remove.get(accountId),
  }
}

export function runningTable(database: DatabaseSync): RowTable<RunningRequest> {
  const one = select<{ terms: number }>(database, 'SELECT terms FROM running WHERE request_id = ?')
  const insert = database.prepare('INSERT INTO running VALUES (?,?)')
  const update = database.prepare('UPDATE running SET terms = ? WHERE request_id = ?')
  const remove = database.prepare('DELETE FROM running WHERE request_id = ?')
  return {
    load(requestId) {
      const row = one.get(requestId)
      return row === undefined ? undefined : { requestId, terms: row.terms }
    },
    insert: (row) => void insert.get(row.requestId, row.terms),
    update: (row) => void update.get(row.terms, row.requestId),
    remove: (requestId) => void remove.get(requestId),
  }
}

export function giftsTable(database: DatabaseSync): RowTable<Gift> {
  const one = select<{ grant_id: string }>(
    database,
    'SELECT grant_id FROM gifts WHERE grant_id = ?',
  )
  const insert = database.prepare('INSERT INTO gifts VALUES (?)')
  const remove = database.prepare('DELETE FROM gifts WHERE grant_id = ?')
  return {
    load: (grantId) => (one.get(grantId) === undefined ? undefined : { grantId }),
    insert: ({ grantId }) => void insert.get(grantId),
    // A row of this table has nothing to change.
    update: () => {},
    remove: (grantId) => void remove.get(grantId),
  }
}

export function keyNamesTable(database: DatabaseSync): RowTable<KeyName> {
  const one = select<{ name: string }>(database, 'SELECT name FROM key_names WHERE key_id = ?')
  const insert = database.prepare('INSERT INTO key_names VALUES (?,?)')
  const update = database.prepare('UPDATE key_names SET name = ? WHERE key_id = ?')
  const remove = database.prepare('DELETE FROM key_names WHERE key_id = ?')
  return {
    load(keyId) {
      const row = one.get(keyId)
      return row === undefined ? undefined : { keyId, name: row.name }
    },
    insert: (row) => void insert.get(row.keyId, row.name),
    update: (row) => void update.get(row.name, row.keyId),
    remove: (keyId) => void remove.get(keyId),
  }
}

export function readEntry(row: StoredEntry): StatementRow {
  const amount = BigInt(row.amount)
  const magnitude = amount < 0n ? -amount : amount
  const promotional = BigInt(row.promotional ?? 0)
  const unpaid = BigInt(row.unpaid ?? 0)
  const tokens = tokensOf(row)
  return {
    entry: row.entry,
    accountId: row.account_id,
    at: row.at,
    type: row.type,
    reference: row.reference,
    paymentReference: row.payment,
    description: row.description ?? usageText(row, tokens),
    debit: amount < 0n ? magnitude : 0n,
    credit: amount > 0n ? magnitude : 0n,
    balance: BigInt(row.balance),
    key: row.key_id === null ? null : { keyId: row.key_id, name: row.key_name },
    model: row.model,
    format: row.format,
    tokens,
    priceVersion: row.price_version,
    paid: magnitude - promotional - unpaid,
    promotional,
    unpaid,
    actor: row.actor,
    reason: row.reason,
    event: {
      type: eventTypes[row.type],
      stream: accountStream(row.account_id),
      revision: row.event_revision,
      hash: row.event_hash,
    },
  }
}

function tokensOf(row: StoredEntry): TokenCounts | null {
  const { input_tokens: inputTokens, output_tokens: outputTokens } = row
  const { cached_input_tokens: cachedInputTokens } = row
  if (inputTokens === null || cachedInputTokens === null || outputTokens === null) return null
  return { inputTokens, cachedInputTokens, outputTokens }
}

/** The three classes are disjoint, so the numbers can be added up. */
function usageText(
  { model, key_id: keyId, key_name: keyName }: StoredEntry,
  tokens: TokenCounts | null,
): string {
  const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0 } = tokens ?? {}
  const counts = `${inputTokens} input + ${cachedInputTokens} cached input + ${outputTokens} output`
  return `${model}, key ${keyName ?? keyId}: ${counts} tokens`
}
