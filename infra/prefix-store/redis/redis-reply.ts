/** What a Redis answers to a command, as far as it is used here. */

/** A reply; texts come as bytes. */
export type RedisReply = Buffer | number | null | readonly RedisReply[] | ErrorReply

export interface ErrorReply {
  /** The first word of the error, such as `OOM`; no more of it, for the rest may quote anything. */
  readonly code: string
  readonly isUnknownCommand: boolean
}

const REPLY_ERROR = 'ReplyError'
const CODE = /^[A-Z]{2,32}\b/
/** The server is well, and says no to what would write. */
const writeRefusals = new Set(['OOM', 'MISCONF', 'READONLY', 'NOREPLICAS'])
const WRONG_TYPE = 'WRONGTYPE'

/** @returns undefined when the server has not replied, or not with anything that is used here */
export function replyOf(error: Error | null | undefined, value: unknown): RedisReply | undefined {
  if (error == null) return readValue(value)
  if (error.name !== REPLY_ERROR) return undefined
  const code = CODE.exec(error.message)?.[0] ?? 'ERR'
  return { code, isUnknownCommand: /^ERR unknown command/.test(error.message) }
}

export function isErrorReply(reply: RedisReply | undefined): reply is ErrorReply {
  return typeof reply === 'object' && reply !== null && 'code' in reply
}

/** The server does not write, such as when its memory is full. */
export function isWriteRefusal(reply: RedisReply | undefined): boolean {
  return isErrorReply(reply) && writeRefusals.has(reply.code)
}

/** Whether the key holds something that this program has not put there. */
export function isWrongType(reply: RedisReply | undefined): boolean {
  return isErrorReply(reply) && reply.code === WRONG_TYPE
}

/** An error for a reason that has nothing to do with the command. */
export function isServerFailure(reply: RedisReply): boolean {
  return isErrorReply(reply) && !isWriteRefusal(reply) && !isWrongType(reply)
}

function readValue(value: unknown): RedisReply | undefined {
  if (value === null || typeof value === 'number' || Buffer.isBuffer(value)) return value
  if (typeof value === 'string') return Buffer.from(value)
  if (!Array.isArray(value)) return undefined
  const items = value.map(readValue)
  return items.filter((item) => item !== undefined)
}
