/**
 * Compares the topic with the log: whether every event is there, unaltered, and in order.
 *
 * Events of a stream have revisions 0, 1, 2 …, so what is missing of an account shows without
 * knowing the events. Memory is taken by accounts and by gaps, and not by events.
 */
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
}

export interface FeedCheckResult {
  readonly keys: number
  readonly events: number
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
    for (const record of batch) keys.get(record.key)?.find(record)
    records += batch.length
    onProgress({ events, records })
  }, range.signal)
  const all = [...keys.values()]
  const incomplete = all.filter((check) => check.missing > 0 || check.isHashWrong)
  return {
    keys: all.length,
    events,
    records,
    doubled: sumOf(all.map(({ doubled }) => doubled)),
    late: sumOf(all.map(({ late }) => late)),
    findings: await findingsOf(incomplete, log, range),
  }
}

class KeyCheck {
  readonly key: string
  events = 0
  doubled = 0
  late = 0
  #lastHash = ''
  /** The first revision behind all that were found. */
  #next = 0
  #foundHash: string | undefined
  /** Revisions before that which were not found, from and to, in order. */
  #gaps: (readonly [from: number, to: number])[] = []

  constructor(key: string) {
    this.key = key
  }

  get isHashWrong(): boolean {
    return this.#foundHash !== undefined && this.#foundHash !== this.#lastHash
  }

  get missing(): number {
    return sumOf(this.#missingRanges().map(([from, to]) => to - from + 1))
  }

  /** The first revision that was not found. */
  get firstMissing(): number | undefined {
    return this.#missingRanges()[0]?.[0]
  }

  expect({ hash }: RecordedEvent): void {
    this.events += 1
    this.#lastHash = hash
  }

  find({ headers }: ReceivedRecord): void {
    const revision = Number(headers.revision)
    if (!Number.isSafeInteger(revision) || revision < 0) return
    if (revision === this.events - 1) this.#foundHash = headers.hash ?? ''
    if (revision < this.#next) this.#findEarlier(revision)
    else {
      if (revision > this.#next) this.#gaps.push([this.#next, revision - 1])
      this.#next = revision + 1
    }
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

/** Looks for the positions of what is missing, in one more walk over the log. */
async function findingsOf(
  incomplete: readonly KeyCheck[],
  log: FeedEventsPorts,
  range: FeedRange,
): Promise<readonly FeedFinding[]> {
  const open = new Map(incomplete.map((check) => [check.key, check.firstMissing] as const))
  const positions = new Map<string, Position>()
  if (incomplete.some(({ firstMissing }) => firstMissing !== undefined)) {
    for await (const { key, event } of feedEvents(log, range)) {
      if (open.get(key) === event.revision) positions.set(key, event.position)
    }
  }
  return incomplete.map(({ key, events, missing, isHashWrong }) => {
    return { key, events, missing, isHashWrong, firstMissing: positions.get(key) ?? null }
  })
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
