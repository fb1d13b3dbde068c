/**
 * Balances per account and month, folded from the records of the feed, in one SQLite file. A record
 * counts once, whenever and however often it comes: the revisions 0, 1, 2 … of each account are
 * ticked off in the transaction that adds the amount.
 */
import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

export const COLUMNS = ['payments', 'promotional', 'used', 'expired', 'refunded', 'corrected']
/** What leaves the balance when it is above zero. */
const LEAVING = new Set(['used', 'expired', 'refunded'])

/** Column and pico-dollars of an event; undefined for one that moves no money. */
export function movementOf(type, data) {
  const amount = BigInt(data.amount ?? 0)
  switch (type) {
    case 'CreditGranted':
      return [data.category === 'paid' ? 'payments' : 'promotional', amount]
    case 'CreditDebited':
      return ['used', amount]
    case 'CreditExpired':
      return ['expired', amount]
    case 'CreditRefunded':
      return ['refunded', -amount]
    case 'BalanceAdjusted':
      return ['corrected', amount]
    case 'GrantVoided':
      return ['corrected', -amount]
    case 'AccountClosed':
      return data.remainder === 'paid_out' ? ['refunded', -amount] : ['corrected', amount]
    default:
      return undefined
  }
}

export class Books {
  #db

  constructor(file) {
    this.#db = new DatabaseSync(file)
    this.#db.exec(`
      PRAGMA synchronous = FULL;
      CREATE TABLE IF NOT EXISTS identity (consumer_group TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS accounts (account TEXT PRIMARY KEY, next INTEGER NOT NULL);
      CREATE TABLE IF NOT EXISTS early (account TEXT, revision INTEGER,
        PRIMARY KEY (account, revision));
      CREATE TABLE IF NOT EXISTS sums (account TEXT, month TEXT, name TEXT, amount TEXT NOT NULL,
        PRIMARY KEY (account, month, name));
      CREATE TABLE IF NOT EXISTS balances (account TEXT PRIMARY KEY, revision INTEGER NOT NULL,
        balance TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS offsets (partition INTEGER PRIMARY KEY, next TEXT NOT NULL);
    `)
  }

  /** New books are a new group of consumers, which begins at the first record. */
  get group() {
    const kept = this.#db.prepare('SELECT consumer_group FROM identity').get()
    if (kept !== undefined) return kept.consumer_group
    const group = `finance-${randomUUID()}`
    this.#db.prepare('INSERT INTO identity VALUES (?)').run(group)
    return group
  }

  /** Adds records of one partition: all of them, or none when the process dies. */
  add(partition, records) {
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      for (const record of records) this.#addOne(record)
      const next = String(BigInt(records.at(-1).offset) + 1n)
      this.#db.prepare('INSERT OR REPLACE INTO offsets VALUES (?, ?)').run(partition, next)
      this.#db.exec('COMMIT')
    } catch (error) {
      this.#db.exec('ROLLBACK')
      throw error
    }
  }

  /** Behind the last record of the partition that is in the books. */
  next(partition) {
    const kept = this.#db.prepare('SELECT next FROM offsets WHERE partition = ?').get(partition)
    return BigInt(kept?.next ?? 0)
  }

  /** @returns what keeps the books from being right, a sentence each */
  problems() {
    const gaps = this.#db.prepare(
      'SELECT account, next FROM accounts WHERE account IN (SELECT account FROM early)',
    )
    const missing = gaps.all().map(({ account, next }) => `${account}: revision ${next} is missing`)
    const kept = this.#db.prepare('SELECT account, balance FROM balances').all()
    const wrong = kept.flatMap(({ account, balance }) => {
      const closing = this.#monthsOf(account).at(-1)?.closing ?? 0n
      if (closing === BigInt(balance)) return []
      return [`${account}: the months add up to ${closing}, and its last event says ${balance}`]
    })
    return [...missing, ...wrong]
  }

  /** Of every account, the months in which its balance moved. Pico-dollars. */
  months() {
    const accounts = this.#db.prepare('SELECT account FROM balances ORDER BY account').all()
    return accounts.flatMap(({ account }) => this.#monthsOf(account))
  }

  close() {
    this.#db.close()
  }

  #addOne({ key: account, type, revision, value }) {
    if (account === 'pricing' || !this.#isNew(account, revision)) return
    const data = JSON.parse(value)
    const movement = movementOf(type, data)
    if (movement !== undefined) this.#move(account, data.at, movement)
    // Also of a type that is not known here: what it moved is then missed, and told.
    if (data.balanceAfter === undefined) return
    this.#db
      .prepare(
        `INSERT INTO balances VALUES (?, ?, ?) ON CONFLICT (account) DO UPDATE
         SET revision = excluded.revision, balance = excluded.balance
         WHERE excluded.revision > revision`,
      )
      .run(account, revision, data.balanceAfter)
  }

  #move(account, at, [name, amount]) {
    const month = new Date(at).toISOString().slice(0, 7)
    const row = [account, month, name]
    const kept = this.#db.prepare(
      'SELECT amount FROM sums WHERE account = ? AND month = ? AND name = ?',
    )
    const sum = BigInt(kept.get(...row)?.amount ?? 0) + amount
    this.#db.prepare('INSERT OR REPLACE INTO sums VALUES (?, ?, ?, ?)').run(...row, String(sum))
  }

  /** Ticks a revision off. @returns false for one that was ticked off before */
  #isNew(account, revision) {
    const known = this.#db.prepare('SELECT next FROM accounts WHERE account = ?').get(account)
    let next = known?.next ?? 0
    if (revision < next) return false
    if (revision > next) {
      this.#db.prepare('INSERT OR IGNORE INTO accounts VALUES (?, ?)').run(account, next)
      const early = this.#db.prepare('INSERT OR IGNORE INTO early VALUES (?, ?)')
      return early.run(account, revision).changes === 1
    }
    const closeGap = this.#db.prepare('DELETE FROM early WHERE account = ? AND revision = ?')
    do next += 1
    while (closeGap.run(account, next).changes === 1)
    this.#db.prepare('INSERT OR REPLACE INTO accounts VALUES (?, ?)').run(account, next)
    return true
  }

  #monthsOf(account) {
    const rows = this.#db
      .prepare('SELECT month, name, amount FROM sums WHERE account = ? ORDER BY month')
      .all(account)
    let closing = 0n
    return [...Map.groupBy(rows, ({ month }) => month)].map(([month, sums]) => {
      const opening = closing
      const line = Object.fromEntries(COLUMNS.map((name) => [name, 0n]))
      for (const { name, amount } of sums) {
        line[name] = BigInt(amount)
        closing += LEAVING.has(name) ? -line[name] : line[name]
      }
      return { month, account, opening, ...line, closing }
    })
  }
}
