/** What somebody could do to a history before it is shown to a customer. */
import { accountStream } from '@svc/contracts/events/account'
import { readSignerKey, type SignerKey, signerKeyText } from '@svc/contracts/evidence/signed-note'
import type { SealedEvent } from '@svc/contracts/ports/hash-chain'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import type { Random } from '@svc/testing/random'
import { checkpointOf, fileOf, linesOf, type PaperLog, resealed } from './paper-log.ts'

export const signer: SignerKey = readSignerKey(signerKeyText('svc/test', Buffer.alloc(32, 7)))
export const key: string = signer.verifier.text
const stranger = readSignerKey(signerKeyText('svc/test', Buffer.alloc(32, 8)))
export const NOW = 1_763_841_600

export interface Honest {
  readonly log: PaperLog
  readonly stream: string
  readonly file: Buffer
}

export interface Shown {
  readonly file: Buffer
  /** What a witness has signed, where only that shows it. */
  readonly checkpoint?: string
  /** The line that has to be named; undefined where nobody can tell. */
  readonly line?: number
}

export type Manipulation = (honest: Honest, random: Random) => Shown

/** Lines of events: the header is line 1. */
const FIRST = 2

function bitFlip({ file }: Honest, random: Random): Shown {
  const copy = Buffer.from(file)
  const at = random.integer(copy.length)
  copy[at] = (copy[at] ?? 0) ^ (1 << random.integer(8))
  const line = file.subarray(0, at).toString('latin1').split('\n').length
  // What the header says can also show at the event that it is about.
  return line === 1 ? { file: copy } : { file: copy, line }
}

function withLines({ file }: Honest, change: (lines: string[]) => number): Shown {
  const lines = file.toString().trimEnd().split('\n')
  const line = change(lines)
  return { file: Buffer.from(`${lines.join('\n')}\n`), line }
}

function anyLine(lines: readonly string[], random: Random): number {
  return FIRST + random.integer(lines.length - 1)
}

const drop: Manipulation = (honest, random) =>
  withLines(honest, (lines) => {
    const line = anyLine(lines, random)
    lines.splice(line - 1, 1)
    return line
  })

const insertAgain: Manipulation = (honest, random) =>
  withLines(honest, (lines) => {
    const line = anyLine(lines, random)
    lines.splice(line, 0, lines[line - 1] ?? '')
    return line + 1
  })

const insertForeign: Manipulation = (honest, random) =>
  withLines(honest, (lines) => {
    const line = anyLine(lines, random)
    const others = honest.log.filter(({ stream }) => stream !== honest.stream)
    lines.splice(line - 1, 0, linesOf(others)[line % others.length] ?? '')
    return line
  })

const swap: Manipulation = (honest, random) =>
  withLines(honest, (lines) => {
    const one = FIRST + random.integer(lines.length - 2)
    const other = one + 1 + random.integer(lines.length - one)
    const [first = '', second = ''] = [lines[one - 1], lines[other - 1]]
    lines[one - 1] = second
    lines[other - 1] = first
    return one
  })

const cutFile: Manipulation = (honest, random) =>
  withLines(honest, (lines) => {
    const line = anyLine(lines, random)
    lines.splice(line - 1)
    return line
  })

/** Every price and amount fits, every hash is made anew: only the tree knows. */
const cheaperOrDearer: Manipulation = ({ log, stream, file }, random) => {
  const changed = linesOf(
    resealed(repriced(log, random, stream)).filter((event) => event.stream === stream),
  )
  const [header] = file.toString().split('\n')
  return { file: Buffer.from([header, ...changed, ''].join('\n')) }
}

const strangersCheckpoint: Manipulation = ({ log, stream }) => {
  const checkpoint = checkpointOf(log, stranger, NOW)
  return { file: Buffer.from(fileOf(log, { stream, checkpoint })), line: 1 }
}

const otherCheckpoint: Manipulation = ({ log, stream }, random) => {
  const checkpoint = checkpointOf(log.slice(0, 1 + random.integer(log.length - 1)), signer, NOW)
  return { file: Buffer.from(fileOf(log, { stream, checkpoint })) }
}

/** The log is cut and signed again with the true key: the file itself is sound. */
const cutLog: Manipulation = ({ log, stream }, random) => {
  const start = log.findIndex((event) => event.stream === stream)
  const cut = log.slice(0, start + 1 + random.integer(log.length - start - 1))
  const checkpoint = checkpointOf(cut, signer, NOW + 60)
  const file = Buffer.from(fileOf(cut, { stream, checkpoint }))
  return { file, checkpoint: checkpointOf(log, signer, NOW), line: 0 }
}

/** The past is rewritten and signed with the true key, or two customers are shown two logs. */
const fork: Manipulation = ({ log, stream }, random) => {
  const forked = resealed(repriced(log, random))
  const grows = forked.length > 2 && random.next() < 0.5
  const seen = grows ? log.slice(0, firstDifference(log, forked) + 1) : log
  const checkpoint = checkpointOf(forked, signer, NOW + 60)
  const file = fileOf(forked, { stream, checkpoint, since: grows ? [seen.length] : [] })
  return { file: Buffer.from(file), checkpoint: checkpointOf(seen, signer, NOW), line: 0 }
}

function firstDifference(one: PaperLog, other: PaperLog): number {
  return one.findIndex(({ hash }, index) => hash !== other[index]?.hash)
}

/**
 * All prices of one request, its debit, and every balance from there on.
 *
 * @param of the account whose request it is; default: any
 */
function repriced(log: PaperLog, random: Random, of?: string): readonly SealedEvent[] {
  const debits = log.filter(({ type, stream }) => {
    return type === 'CreditDebited' && (of === undefined || stream === of)
  })
  const { requestId } = JSON.parse(random.pick(debits).data) as { requestId: string }
  const factor = BigInt(2 + random.integer(3))
  let more = 0n
  let whose = ''
  return log.map((event) => {
    const data = JSON.parse(event.data)
    if (data.requestId === requestId && event.type === 'RequestAccepted') {
      for (const rate of ['input', 'cachedInput', 'output']) {
        data.price[rate] = `${BigInt(data.price[rate]) * factor}`
      }
    } else if (data.requestId === requestId && event.type === 'CreditDebited') {
      more = BigInt(data.amount) * (factor - 1n)
      whose = event.stream
      data.amount = `${BigInt(data.amount) * factor}`
      for (const line of data.lines) {
        line.price = `${BigInt(line.price) * factor}`
        line.amount = `${BigInt(line.amount) * factor}`
      }
    }
    if (event.stream === whose && data.balanceAfter !== undefined) {
      data.balanceAfter = `${BigInt(data.balanceAfter) - more}`
    }
    return { ...event, data: JSON.stringify(data) }
  })
}

export const manipulations: Readonly<Record<string, Manipulation>> = {
  'a flipped bit': bitFlip,
  'a dropped event': drop,
  'an event that is there twice': insertAgain,
  "somebody else's event": insertForeign,
  'two events that changed places': swap,
  'a file that was cut': cutFile,
  'other prices, with every hash made anew': cheaperOrDearer,
  "a stranger's checkpoint": strangersCheckpoint,
  'another checkpoint of the log': otherCheckpoint,
  'a log that was cut, beside a witness': cutLog,
  'a log that was rewritten or forked, beside a witness': fork,
}

/** Two accounts whose requests come in turns; the evidence is of one of them. */
export async function history(random: Random): Promise<Honest> {
  const store = new MemoryEventStore()
  const accounts = [new AccountHistory('Ada').open(), new AccountHistory('Bob').open()]
  for (let number = 0; number < 4 + random.integer(12); number += 1) {
    // The first two requests are one of each.
    const account = accounts[number < 2 ? number : random.integer(2)]
    const id = requestId(START_MS + number, `${number}`)
    account?.accept(id, START_MS + number)
    const counts = { inputTokens: random.integer(300), cachedInputTokens: random.integer(300) }
    if (number > 1 && random.integer(5) === 0) account?.fail(id, 'worker_failed', START_MS + number)
    else account?.settle(id, START_MS + number, { ...counts, outputTokens: 1 + random.integer(99) })
    await account?.writeTo(store)
  }
  const log = (await store.readAll({ after: -1n, limit: 10_000 })).map(
    ({ position: _, ...event }) => event,
  )
  const stream = accountStream(accounts[0]?.accountId ?? '')
  const checkpoint = checkpointOf(log, signer, NOW)
  return { log, stream, file: Buffer.from(fileOf(log, { stream, checkpoint })) }
}
