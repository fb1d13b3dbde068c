/**
 * For tests: one command to a Redis over a connection of its own, in its own protocol (RESP2): what
 * a test says to the server must not go through the client that is being tested.
 */
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type RedisAddress, readRedisUrl } from '@svc/infra/prefix-store/redis/redis-url'

export type RedisArgument = string | number | Uint8Array
/** Texts come as bytes. */
export type RedisValue = Buffer | number | null | readonly RedisValue[]

const CALL_WITHIN_MS = 5_000
const LINE_END = '\r\n'

/** @throws {Error} when the server says no, or says nothing in time */
export async function callRedis(
  url: string,
  args: readonly RedisArgument[],
  withinMs: number = CALL_WITHIN_MS,
): Promise<RedisValue> {
  const read = readRedisUrl(url)
  if (!read.ok) throw new Error(read.message)
  const before = openingCommands(read.address)
  const socket = openSocket(read.address)
  try {
    for (const command of [...before, args]) socket.write(encode(command))
    const replies = await readReplies(socket, before.length + 1, withinMs)
    return replies.at(-1) ?? null
  } finally {
    socket.destroy()
  }
}

function openSocket({ at, isTls }: RedisAddress): Socket {
  return isTls ? connectTls({ ...at }) : connectPlain({ ...at })
}

function openingCommands(address: RedisAddress): readonly (readonly RedisArgument[])[] {
  const { username, password, database } = address
  const commands: (readonly RedisArgument[])[] = []
  if (password !== undefined) commands.push(['AUTH', username ?? 'default', password])
  if (database !== 0) commands.push(['SELECT', database])
  return commands
}

function encode(args: readonly RedisArgument[]): Buffer {
  const parts = args.map((arg) => (typeof arg === 'number' ? String(arg) : arg)).map(bytesOf)
  const bulks = parts.flatMap((part) => [
    bytesOf(`$${part.length}${LINE_END}`),
    part,
    bytesOf(LINE_END),
  ])
  return Buffer.concat([bytesOf(`*${parts.length}${LINE_END}`), ...bulks])
}

function bytesOf(part: string | Uint8Array): Buffer {
  return typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)
}

function readReplies(socket: Socket, count: number, withinMs: number): Promise<RedisValue[]> {
  const { promise, resolve, reject } = Promise.withResolvers<RedisValue[]>()
  let received = Buffer.alloc(0)
  socket.setTimeout(withinMs, () => reject(new Error(`no answer within ${withinMs} ms`)))
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('the server closed the connection')))
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    try {
      const replies = parseReplies(received, count)
      if (replies !== undefined) resolve(replies)
    } catch (error) {
      reject(error)
    }
  })
  return promise
}

function parseReplies(bytes: Buffer, count: number): RedisValue[] | undefined {
  const replies: RedisValue[] = []
  let at = 0
  while (replies.length < count) {
    const parsed = parseReply(bytes, at)
    if (parsed === undefined) return undefined
    replies.push(parsed.value)
    at = parsed.end
  }
  return replies
}

/**
 * @returns undefined when it is not all there yet
 * @throws {Error} what the server says against it
 */
function parseReply(bytes: Buffer, at: number): { value: RedisValue; end: number } | undefined {
  const lineEnd = bytes.indexOf(LINE_END, at)
  if (lineEnd === -1) return undefined
  const line = bytes.toString('latin1', at + 1, lineEnd)
  const end = lineEnd + LINE_END.length
  switch (String.fromCharCode(bytes[at] ?? 0)) {
    case '+':
      return { value: Buffer.from(line, 'latin1'), end }
    case ':':
      return { value: Number(line), end }
    case '-':
      throw new Error(line)
    case '$':
      return parseBulk(bytes, end, Number(line))
    case '*':
      return parseArray(bytes, end, Number(line))
    default:
      throw new Error('the server does not speak RESP2')
  }
}

function parseBulk(
  bytes: Buffer,
  at: number,
  length: number,
): { value: RedisValue; end: number } | undefined {
  if (length < 0) return { value: null, end: at }
  const end = at + length + LINE_END.length
  return bytes.length < end ? undefined : { value: bytes.subarray(at, at + length), end }
}

function parseArray(
  bytes: Buffer,
  start: number,
  length: number,
): { value: RedisValue; end: number } | undefined {
  const value: RedisValue[] = []
  let at = start
  while (value.length < length) {
    const item = parseReply(bytes, at)
    if (item === undefined) return undefined
    value.push(item.value)
    at = item.end
  }
  return { value, end: at }
}
