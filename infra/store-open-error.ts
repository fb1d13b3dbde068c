/** Why a store could not be opened. The message is one line that says what to do. */

export type StoreOpenCode =
  /** Another process, or another store of this one, holds the file. */
  | 'in-use'
  /** A newer version of this program wrote the file. */
  | 'newer-schema'
  /** The file is not of SQLite, or is a SQLite file of another program. */
  | 'foreign-file'
  /** A file of this program that SQLite cannot read. */
  | 'damaged'
  /** The folder is missing or cannot be written. */
  | 'not-writable'
  | 'disk-full'
  /** Reading or writing gave an error, which says nothing about the content. */
  | 'disk-error'
  /** The SQLite that is built into this Node.js has a known defect. */
  | 'unsafe-sqlite'
  /** The address of the server, or the prefix of the streams, is not understood. */
  | 'bad-address'
  /** No server answers at the address. */
  | 'unreachable'
  /** A server answers, and did not become ready in time. */
  | 'not-ready'
  /** The server refuses the user, or what the user may read or write. */
  | 'access-denied'
  /** TLS is asked for, and the server speaks none. */
  | 'no-tls'
  /** The certificate of the server is not trusted, or is for another name. */
  | 'untrusted-certificate'
  | 'old-server'
  /** The server is set up to take smaller appends than svc makes. */
  | 'append-limit'
  /** A migration was begun there and not finished, or the log was moved away. */
  | 'half-moved'

export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError'
  readonly code: StoreOpenCode

  constructor(code: StoreOpenCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
