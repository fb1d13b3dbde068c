/** The passkeys, in the file of the users: they are erased with them. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Passkey, Passkeys, PasskeyUse } from '@svc/contracts/ports/passkeys'

/** Each under the name that it has in a {@link Passkey}. */
const COLUMNS = `passkey_id AS passkeyId, user_id AS userId, credential_id AS credentialId,
  public_key AS publicKey, sign_count AS signCount, transports, name, created_at AS createdAt,
  last_used_at AS lastUsedAt`

export class SqlitePasskeys implements Passkeys {
  readonly #insert: StatementSync
  readonly #byCredential: StatementSync
  readonly #byUser: StatementSync
  readonly #setUse: StatementSync
  readonly #rename: StatementSync
  readonly #remove: StatementSync
  readonly #removeAll: StatementSync

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      `INSERT OR IGNORE INTO passkey SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?
         WHERE (SELECT count(*) FROM passkey WHERE user_id = ?) < ?`,
    )
    this.#byCredential = database.prepare(`SELECT ${COLUMNS} FROM passkey WHERE credential_id = ?`)
    this.#byUser = database.prepare(
      `SELECT ${COLUMNS} FROM passkey WHERE user_id = ? ORDER BY created_at, passkey_id`,
    )
    this.#setUse = database.prepare(
      `UPDATE passkey SET sign_count = ?1, last_used_at = ?2
         WHERE passkey_id = ?3 AND (sign_count < ?1 OR (sign_count = 0 AND ?1 = 0))`,
    )
    this.#rename = database.prepare(
      'UPDATE passkey SET name = ? WHERE user_id = ? AND passkey_id = ?',
    )
    this.#remove = database.prepare('DELETE FROM passkey WHERE user_id = ? AND passkey_id = ?')
    this.#removeAll = database.prepare('DELETE FROM passkey WHERE user_id = ?')
  }

  async add(passkey: Passkey, max: number): Promise<boolean> {
    const { passkeyId, userId, credentialId, publicKey, signCount, transports } = passkey
    const { name, createdAt, lastUsedAt } = passkey
    const key = [credentialId, publicKey, signCount, transports.join(' ')]
    const values = [passkeyId, userId, ...key, name, createdAt, lastUsedAt, userId, max]
    return this.#insert.run(...values).changes > 0
  }

  async findByCredential(credentialId: string): Promise<Passkey | undefined> {
    const row = this.#byCredential.get(credentialId)
    return row === undefined ? undefined : passkeyOf(row)
  }

  async list(userId: string): Promise<readonly Passkey[]> {
    return this.#byUser.all(userId).map(passkeyOf)
  }

  async noteUse(passkeyId: string, { signCount, at }: PasskeyUse): Promise<boolean> {
    return this.#setUse.run(signCount, at, passkeyId).changes > 0
  }

  async rename(userId: string, passkeyId: string, name: string): Promise<boolean> {
    return this.#rename.run(name, userId, passkeyId).changes > 0
  }

  async remove(userId: string, passkeyId: string): Promise<boolean> {
    return this.#remove.run(userId, passkeyId).changes > 0
  }

  /** Removes all passkeys of a user, in the transaction of an erasure. */
  removeAll(userId: string): void {
    this.#removeAll.run(userId)
  }
}

/** A passkey as it is stored: the transports are one text. */
type StoredPasskey = Omit<Passkey, 'transports'> & { readonly transports: string }

function passkeyOf(row: object): Passkey {
  const { transports, ...passkey } = row as StoredPasskey
  return { ...passkey, transports: transports === '' ? [] : transports.split(' ') }
}
