/** The types that the client gives its own errors, by the server's names for the same. */
const refusalTypes = new Map([
  ['WrongExpectedVersion', 'wrong-expected-version'],
  ['StreamDeleted', 'stream-deleted'],
  ['AccessDenied', 'access-denied'],
  ['Timeout', 'deadline-exceeded'],
  ['MaximumAppendSizeExceeded', 'maximum-append-size-exceeded'],
])

/** The server's answer to one append that it did not take. The call goes on. */
export class AppendRefusedError extends Error {
  override readonly name = 'AppendRefusedError'
  readonly type: string
  /** The most bytes of an append, where this one was larger. */
  readonly maxAppendSize: number | undefined

  /** @param detailType such as `type.googleapis.com/event_store.client.AccessDenied` */
  constructor(detailType: string, message: string, maxAppendSize?: number) {
    super(message)
    this.type = refusalTypes.get(detailType.replace(/^.*\./, '')) ?? 'unknown'
    this.maxAppendSize = maxAppendSize
  }
}
