/** The passkeys, in the file of the users: they are erased with them. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Passkey, Passkeys, PasskeyUse } from '@svc/contracts/ports/passkeys'

interface StoredPasskey {
  readonly passkey_id: string
  readonly user_id: string
  readonly credential_id: string
  readonly public_key: Uint8Array<ArrayBuffer>
  readonly sign_count: number
  readonly transports: string
  readonly name: string
  readonly created_at: number
  readonly last_used_at: number | null
}

export class SqlitePasskeys implements Passkeys {
  readonly #insert: StatementSync
  readonly #byCredential: StatementSync
  readonly #byUser: StatementSync
  readonly #setUse: StatementSync
  readonly #remove: StatementSync
  readonly #removeAll: StatementSync

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      `INSERT OR IGNORE INTO passkey SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?
         WHERE (SELECT count(*) FROM passkey WHERE user_id = ?) < ?`,
    )
    this.#byCredential = database.prepare('SELECT * FROM passkey WHERE credential_id = ?')
    this.#byUser = database.prepare(
      'SELECT * FROM passkey WHERE user_id = ? ORDER BY created_at, passkey_id',
    )
    this.#setUse = database.prepare(
      `UPDATE passkey SET sign_count = ?1, last_used_at = ?2
         WHERE passkey_id = ?3 AND (sign_count < ?1 OR (sign_count = 0 AND ?1 = 0))`,
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

  async remove(userId: string, passkeyId: string): Promise<boolean> {
    return this.#remove.run(userId, passkeyId).changes > 0
  }

  /** In the transaction of an erasure. */
  removeAll(userId: string): void {
    this.#removeAll.run(userId)
  }
}

function passkeyOf(row: object): Passkey {
  const stored = row as StoredPasskey
  return {
    passkeyId: stored.passkey_id,
    userId: stored.user_id,
    credentialId: stored.credential_id,
    publicKey: stored.public_key,
    signCount: stored.sign_count,
    transports: stored.transports === '' ? [] : stored.transports.split(' '),
    name: stored.name,
    createdAt: stored.created_at,
    lastUsedAt: stored.last_used_at,
  }
}
