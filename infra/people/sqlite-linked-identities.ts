/** Whom identity providers know, in the file of the users: erased with them. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { LinkedIdentities, LinkedIdentity } from '@svc/contracts/ports/linked-identities'

export class SqliteLinkedIdentities implements LinkedIdentities {
  readonly #insert: StatementSync
  readonly #byIdentity: StatementSync
  readonly #ofUser: StatementSync
  readonly #remove: StatementSync
  readonly #removeAll: StatementSync

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT OR IGNORE INTO linked_identity VALUES (?, ?, ?)')
    this.#byIdentity = database.prepare(
      'SELECT user_id FROM linked_identity WHERE issuer = ? AND subject = ?',
    )
    this.#ofUser = database.prepare(
      'SELECT 1 FROM linked_identity WHERE user_id = ? AND issuer = ?',
    )
    this.#remove = database.prepare('DELETE FROM linked_identity WHERE user_id = ? AND issuer = ?')
    this.#removeAll = database.prepare('DELETE FROM linked_identity WHERE user_id = ?')
  }

  async userOf({ issuer, subject }: LinkedIdentity): Promise<string | undefined> {
    const row = this.#byIdentity.get(issuer, subject)
    return (row as { readonly user_id: string } | undefined)?.user_id
  }

  async isLinked(userId: string, issuer: string): Promise<boolean> {
    return this.#ofUser.get(userId, issuer) !== undefined
  }

  async link(userId: string, { issuer, subject }: LinkedIdentity): Promise<boolean> {
    return this.#insert.run(issuer, subject, userId).changes > 0
  }

  async unlink(userId: string, issuer: string): Promise<boolean> {
    return this.#remove.run(userId, issuer).changes > 0
  }

  /** Removes all identities of a user, in the transaction of an erasure. */
  removeAll(userId: string): void {
    this.#removeAll.run(userId)
  }
}
