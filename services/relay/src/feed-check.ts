/**
 * Compares the topic with the log: whether every event is there, unaltered, and in order.
 *
 * Events of a stream have revisions 0, 1, 2 …, so what is missing of an account shows without
 * knowing the events. Whether they are those of the log shows by a sum: each record adds the digest
 * of its revision, id and hash, and the log comes to the same with as many copies of each.
 * Memory is taken by accounts, by gaps and by where the number of copies changes, not by events.
 *
 * The topic may be ahead of the position up to which it is compared, but never of the log. So the
 * sums are over all records, and the log is then walked to its end: what it has not even there was
 * sent by another one, such as by this ledger before a backup of it was restored.
 */
import { hash } from 'node:crypto'
import type { BusTopic, ReceivedRecord } from '@svc/contracts/ports/bus'
import type { Position, RecordedEvent } from '@svc/contracts/ports/event-store'
import { type FeedEventsPorts, type FeedRange, feedEvents } from './feed-events.ts'

const PROGRESS_EVERY_EVENTS = 500

export interface FeedCheckPorts extends FeedEventsPorts {
  readonly topic: Pick<BusTopic, 'read'>
}

export interface FeedCheckOptions extends FeedRange {
  readonly onProgress?: (done: { readonly events: number; readonly records: number }) => void
}

/** Tells what is wrong with one account, or with the prices, in the topic. */
export interface FeedFinding {
  readonly key: string
  readonly events: number
  /** How many of these events the topic does not have. */
  readonly missing: number
  /** The position from which a resend has all of them; null when none is missing. */
  readonly firstMissing: Position | null
  /** Whether the last event has the hash in the topic that it has in the log. */
  readonly isHashWrong: boolean
  /** Whether the topic has a record that the log has with another id or hash, or not at all. */
  readonly isOtherHistory: boolean
}

export interface FeedCheckResult {
  /** Streams that have an event in the range: accounts, and the prices. */
  readonly keys: number
  /** Events of the log in the range. */
  readonly events: number
  /** Records of the topic. */
  readonly records: number
  /** Records of an event that the topic has already. */
  readonly doubled: number
  /** How many first copies came behind newer events of their account, because they were resent. */
  readonly late: number
  readonly findings: readonly FeedFinding[]
}

/** @throws {BusAwayError} when the topic cannot be read to its end */
export async function checkFeed(
  { topic, ...log }: FeedCheckPorts,
  { onProgress = () => {}, ...range }: FeedCheckOptions,
): Promise<FeedCheckResult> {
  const keys = new Map<string, KeyCheck>()
  let [events, records] = [0, 0]
  for await (const { key, event } of feedEvents(log, range)) {
    keyOf(keys, key).expect(event)
    events += 1
    if (events % PROGRESS_EVERY_EVENTS === 0) onProgress({ events, records })
  }
  await topic.read((batch) => {
    for (const record of batch) {
      const revision = revisionOf(record)
      if (revision !== undefined) keyOf(keys, record.key).find(revision, record)
    }
    records += batch.length
    onProgress({ events, records })
  }, range.signal)
  const all = [...keys.values()]
  const findings = await findingsOf(
    all.filter((check) => !check.isPlain),
    log,
    range.signal,
  )
  return {
    keys: all.filter((check) => check.events > 0).length,
    events,
    records,
    doubled: sumOf(all.map(({ doubled }) => doubled)),
    late: sumOf(all.map(({ late }) => late)),
    findings,
  }
}

class KeyCheck {
  readonly key: string
  events = 0
  doubled = 0
  late = 0
  firstMissing: Position | null = null
  #lastHash = ''
  /** The first revision behind all that were found. */
  #next = 0
  #foundHash: string | undefined
  /** Revisions before that which were not found, from and to, in order. */
  #gaps: (readonly [from: number, to: number])[] = []
  /** By how much the number of copies differs from that of the revision before, where it does. */
  readonly #steps = new Map<number, number>()
  #copies = 0
  /** Of all records, of each event of the log once, and of each as often as it has copies. */
  #foundSum = 0n
  #onceSum = 0n
  #copiesSum = 0n
  #firstMissing: number | undefined

  constructor(key: string) {
    this.key = key
  }

  get isHashWrong(): boolean {
    return this.#foundHash !== undefined && this.#foundHash !== this.#lastHash
  }

  get missing(): number {
    return sumOf(this.#missingRanges().map(([from, to]) => to - from + 1))
  }

  /** Whether the topic has each event once, as it is in the log. */
  get isPlain(): boolean {
    return this.missing === 0 && this.doubled === 0 && this.#foundSum === this.#onceSum
  }

  /** Is known behind {@link compare}. */
  get isOtherHistory(): boolean {
    return this.#foundSum !== this.#copiesSum
  }

  expect(event: RecordedEvent): void {
    this.events += 1
    this.#lastHash = event.hash
    this.#onceSum += digestOf(event.revision, event)
  }

  find(revision: number, { headers }: ReceivedRecord): void {
    if (revision === this.events - 1) this.#foundHash = headers.hash ?? ''
    this.#addCopy(revision, headers)
    if (revision < this.#next) this.#findEarlier(revision)
    else {
      if (revision > this.#next) this.#gaps.push([this.#next, revision - 1])
      this.#next = revision + 1
    }
  }

  /** Begins a second walk over the log. */
  startComparison(): void {
    this.#firstMissing = this.#missingRanges()[0]?.[0]
  }

  /** Takes an event of the second walk, in their order. */
  compare(event: RecordedEvent): void {
    const { revision, position } = event
    if (revision === this.#firstMissing) this.firstMissing = position
    this.#copies += this.#steps.get(revision) ?? 0
    if (this.#copies > 0) this.#copiesSum += BigInt(this.#copies) * digestOf(revision, event)
  }

  #addCopy(revision: number, headers: ReceivedRecord['headers']): void {
    this.#foundSum += digestOf(revision, headers)
    this.#addStep(revision, 1)
    this.#addStep(revision + 1, -1)
  }

  #addStep(revision: number, by: number): void {
    const step = (this.#steps.get(revision) ?? 0) + by
    if (step === 0) this.#steps.delete(revision)
    else this.#steps.set(revision, step)
  }

  #findEarlier(revision: number): void {
    const at = this.#gaps.findIndex(([from, to]) => from <= revision && revision <= to)
    const gap = this.#gaps[at]
    if (gap === undefined) {
      this.doubled += 1
      return
    }
    const [from, to] = gap
    const rest = [[from, revision - 1] as const, [revision + 1, to] as const]
    this.#gaps.splice(at, 1, ...rest.filter(([first, last]) => first <= last))
    this.late += 1
  }

  #missingRanges(): readonly (readonly [from: number, to: number])[] {
    const last = this.events - 1
    const ranges = [...this.#gaps, [this.#next, last] as const]
    return ranges
      .map(([from, to]) => [from, Math.min(to, last)] as const)
      .filter(([from, to]) => from <= to)
  }
}

/** Looks closer at what is not plain, in one more walk over the log, to where it ends by now. */
async function findingsOf(
  checks: readonly KeyCheck[],
  log: FeedEventsPorts,
  signal: AbortSignal,
): Promise<readonly FeedFinding[]> {
  if (checks.length === 0) return []
  const open = new Map(checks.map((check) => [check.key, check] as const))
  for (const check of checks) check.startComparison()
  for await (const { key, event } of feedEvents(log, { signal })) open.get(key)?.compare(event)
  return checks
    .filter(
      ({ missing, isHashWrong, isOtherHistory }) => missing > 0 || isHashWrong || isOtherHistory,
    )
    .map(({ key, events, missing, firstMissing, isHashWrong, isOtherHistory }) => {
      return { key, events, missing, firstMissing, isHashWrong, isOtherHistory }
    })
}

/** @returns undefined for a record that no feed has sent */
function revisionOf({ headers }: ReceivedRecord): number | undefined {
  const revision = Number(headers.revision)
  return Number.isSafeInteger(revision) && revision >= 0 ? revision : undefined
}

interface Named {
  readonly id?: string | undefined
  readonly hash?: string | undefined
}

function digestOf(revision: number, { id = '', hash: ofEvent = '' }: Named): bigint {
  return BigInt(`0x${hash('sha256', JSON.stringify([revision, id, ofEvent]))}`)
}

function keyOf(keys: Map<string, KeyCheck>, key: string): KeyCheck {
  const known = keys.get(key)
  if (known !== undefined) return known
  const made = new KeyCheck(key)
  keys.set(key, made)
  return made
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
