/**
 * Verifies an evidence file with nothing but the public key of the log. `examples/verify` does the
 * same in Python and in Go, and comes to the same verdict.
 *
 *     bytes → hash → chain → Merkle root → signed checkpoint;  tokens × price = debit;  Σ = balance
 *
 * `ok`: all of it holds. `broken`: something does not, and the first of it is named. `not_covered`:
 * nothing is wrong, but not everything is proven; what is missing is said.
 */
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { NO_STREAM } from '../ports/event-store.ts'
import { BookedMoney } from './booked-money.ts'
import { type Checkpoint, openCheckpoint } from './checkpoint.ts'
import {
  type EvidenceEvent,
  type EvidenceHeader,
  evidenceHeader,
  isEvidenceEvent,
} from './evidence-file.ts'
import { type EvidenceLine, EvidenceLines } from './evidence-lines.ts'
import { exactJson } from './exact-json.ts'
import { trustedKeys } from './key-rotation.ts'
import { isConsistent, isIncluded, leafHash } from './merkle-tree.ts'
import {
  hasSignatureOf,
  isSignedBy,
  NoteError,
  parseNote,
  readLogKey,
  readVerifierKey,
  type VerifierKey,
} from './signed-note.ts'

export type BrokenPart =
  | 'header'
  | 'key'
  | 'checkpoint'
  | 'consistency'
  /** No event, or another account's or request's. */
  | 'event'
  /** Another event belongs here: one is missing, was put in, or two changed places. */
  | 'order'
  | 'chain'
  | 'price'
  | 'balance'
  | 'inclusion'
  | 'missing'
  /** The given checkpoint shows another history of the same log … */
  | 'fork'
  /** … or, of the two, the older one shows the longer log. */
  | 'cut'
  /** The cosignature of a witness that was named does not hold. */
  | 'cosignature'

export interface FirstBroken {
  /** The line of the file, counted from 1, the header; 0 stands for the given checkpoint. */
  readonly line: number
  readonly revision: number | null
  readonly what: BrokenPart
}

export type Uncovered =
  /** Events behind the last one that is proven. */
  | 'no_inclusion_proof'
  /** An event of a later version moves the balance. */
  | 'unknown_event'
  /** The given checkpoint is older: ask for a file with a consistency proof from its size. */
  | 'no_consistency_proof'
  /** The given checkpoint is newer: ask for a newer file. */
  | 'newer_checkpoint'
  /** A witness that was named has not cosigned the given checkpoint, or without one the file's. */
  | 'no_cosignature'

export interface EvidenceVerdict {
  readonly verdict: 'ok' | 'broken' | 'not_covered'
  /**
   * The stream whose events they are. The reader compares it with the account that the file was
   * asked for.
   */
  readonly stream: string | null
  /** The request whose events they are; null: all events of the stream. Both null when broken. */
  readonly request: string | null
  /** Lines of events that were looked at. */
  readonly events: number
  readonly first_broken: FirstBroken | null
  /** The last revision that is proven; null: none. */
  readonly covered_to: number | null
  readonly not_covered: Uncovered | null
}

export interface VerifyEvidenceOptions {
  /** The verifier key of the log, as text. */
  readonly key: string
  /** A signed note from elsewhere: a witness, another customer, an earlier file. */
  readonly checkpoint?: string | undefined
  /** Verifier keys of witnesses, all of which must have cosigned it. */
  readonly witnesses?: readonly string[]
}

/**
 * @param chunks of the file, however it is cut
 * @throws {NoteError} when the key, or that of a witness, is none
 */
export async function verifyEvidence(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  { key, checkpoint, witnesses = [] }: VerifyEvidenceOptions,
): Promise<EvidenceVerdict> {
  const cosigners = witnesses.map(readWitnessKey)
  const walk = new EvidenceWalk(readLogKey(key))
  const lines = new EvidenceLines()
  try {
    for await (const chunk of chunks) {
      for (const line of lines.take(chunk)) walk.next(line)
      if (lines.isOver) break
    }
    for (const line of lines.end()) walk.next(line)
    walk.end()
    if (checkpoint !== undefined) walk.compare(checkpoint)
    walk.checkCosigned(checkpoint, cosigners)
    return walk.verdict()
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    return {
      verdict: 'broken',
      stream: null,
      request: null,
      events: walk.events,
      first_broken: error.found,
      covered_to: null,
      not_covered: null,
    }
  }
}

class Broken extends Error {
  readonly found: FirstBroken

  constructor(line: number, revision: number | null, what: BrokenPart) {
    super(what)
    this.found = { line, revision, what }
  }
}

class EvidenceWalk {
  events = 0
  readonly #key: VerifierKey
  #keys: readonly VerifierKey[] = []
  #header: EvidenceHeader = noHeader
  #checkpoint: Checkpoint = { origin: '', size: 0, root: Buffer.alloc(0), time: 0 }
  #money = new BookedMoney(true)
  #last = { revision: -1, hash: NO_STREAM.hash }
  #nextProof = 0
  #coveredTo: number | null = null
  #coveredEvents = 0
  #uncovered: Uncovered | null = null
  /** The revision before the first event that this program does not know. */
  #knownTo: number | undefined
  /** The line before the next one. */
  #waiting: 'no header' | 'header' | { readonly line: EvidenceLine } = 'no header'

  constructor(key: VerifierKey) {
    this.#key = key
  }

  next(line: EvidenceLine): void {
    if (this.#waiting === 'no header') {
      this.#begin(line)
      this.#waiting = 'header'
      return
    }
    // The reader is one line ahead, which tells which of two events was altered when they do not
    // fit.
    if (this.#waiting !== 'header') this.#take(this.#waiting.line, line)
    this.#waiting = { line }
  }

  #begin(line: EvidenceLine): void {
    const header = readHeader(line)
    if (header === undefined) throw new Broken(1, null, 'header')
    this.#header = header
    this.#keys = orBroken('key', () => trustedKeys(this.#key, header.rotations))
    const checkpoint = orBroken('checkpoint', () => openCheckpoint(header.checkpoint, this.#keys))
    this.#checkpoint = checkpoint
    for (const { size, root, hashes } of header.consistency) {
      const claim = { first: size, firstRoot: bytesOf(root), proof: hashes.map(bytesOf) }
      const whole = { ...claim, second: checkpoint.size, secondRoot: checkpoint.root }
      if (!isConsistent(whole)) throw new Broken(1, null, 'consistency')
    }
    this.#money = new BookedMoney(header.request === null)
  }

  #take(line: EvidenceLine, following: EvidenceLine): void {
    const number = this.events + 1
    const place = this.#header.request === null ? this.events : null
    const event = number > this.#header.events ? undefined : readEvent(line)
    if (line === undefined || event === undefined || event[1] !== this.#header.stream) {
      throw new Broken(number + 1, place, 'event')
    }
    const [previous, , revision, , type, text] = event
    const data = parsed(text)
    if (!this.#isOfRequest(data)) throw new Broken(number + 1, place, 'event')
    this.events = number
    const hashed = hash('sha256', line, 'hex')
    const isNext = revision === this.#last.revision + 1
    const fits = this.#header.request === null ? isNext : revision > this.#last.revision
    if (!fits) throw new Broken(number + 1, place ?? revision, 'order')
    if (isNext && previous !== this.#last.hash) this.#blame(hashed, revision, following)
    // Events behind a gap prove nothing of those before it.
    if (!isNext && this.#coveredEvents < this.events - 1) this.#uncovered ??= 'no_inclusion_proof'
    this.#checkMoney(type, data, revision)
    this.#last = { revision, hash: hashed }
    const proof = this.#header.proofs[this.#nextProof]
    if (proof?.event !== number) return
    if (!this.#isProven(hashed)) throw new Broken(number + 1, revision, 'inclusion')
    this.#nextProof += 1
    this.#coveredEvents = number
    this.#coveredTo = this.#knownTo ?? revision
  }

  end(): void {
    if (this.#waiting === 'no header') throw new Broken(1, null, 'header')
    if (this.#waiting !== 'header') this.#take(this.#waiting.line, undefined)
    const { events, request } = this.#header
    if (this.events < events) {
      throw new Broken(this.events + 2, request === null ? this.events : null, 'missing')
    }
    if (this.#nextProof < this.#header.proofs.length) throw new Broken(1, null, 'header')
    if (this.#coveredEvents < events) this.#uncovered ??= 'no_inclusion_proof'
  }

  compare(given: string): void {
    const other = orBroken('checkpoint', () => openCheckpoint(given, this.#keys), 0)
    const own = this.#checkpoint
    // In the sequence that a log signs neither sizes nor times go down.
    const [longer, shorter] = other.size > own.size ? [other, own] : [own, other]
    const isCut = longer.size > shorter.size && longer.time < shorter.time
    if (isCut) throw new Broken(0, null, 'cut')
    if (other.size > own.size) {
      this.#uncovered ??= 'newer_checkpoint'
      return
    }
    const earlier = this.#header.consistency.find(({ size }) => size === other.size)
    const root = other.size === own.size ? own.root.toString('hex') : earlier?.root
    if (root === undefined) this.#uncovered ??= 'no_consistency_proof'
    else if (root !== other.root.toString('hex')) throw new Broken(0, null, 'fork')
  }

  /** @param given instead of the checkpoint of the file */
  checkCosigned(given: string | undefined, cosigners: readonly VerifierKey[]): void {
    const note = parseNote(given ?? this.#header.checkpoint)
    for (const cosigner of cosigners) {
      if (!hasSignatureOf(note, cosigner)) this.#uncovered ??= 'no_cosignature'
      else if (!isSignedBy(note, cosigner)) {
        throw new Broken(given === undefined ? 1 : 0, null, 'cosignature')
      }
    }
  }

  verdict(): EvidenceVerdict {
    return {
      verdict: this.#uncovered === null ? 'ok' : 'not_covered',
      stream: this.#header.stream,
      request: this.#header.request,
      events: this.events,
      first_broken: null,
      covered_to: this.#coveredTo,
      not_covered: this.#uncovered,
    }
  }

  /** Whichever of the two the events behind, or the tree, do not know was altered. */
  #blame(hashed: string, revision: number, following: EvidenceLine): never {
    const isKnown = readEvent(following)?.[0] === hashed || this.#isProven(hashed)
    const isBefore = isKnown && revision > 0
    throw new Broken(this.events + (isBefore ? 0 : 1), revision - (isBefore ? 1 : 0), 'chain')
  }

  /** A file that is named for one request and holds another is of a cheaper one, perhaps. */
  #isOfRequest(data: unknown): boolean {
    const { request } = this.#header
    if (request === null) return true
    if (typeof data !== 'object' || data === null || !('requestId' in data)) return false
    return data.requestId === request
  }

  /** Whether this event, the one just read, is proven to be in the tree. */
  #isProven(hashed: string): boolean {
    const proof = this.#header.proofs[this.#nextProof]
    if (proof?.event !== this.events) return false
    const { size, root } = this.#checkpoint
    const path = { index: proof.leaf, proof: proof.hashes.map(bytesOf) }
    return isIncluded({ leaf: leafHash(bytesOf(hashed)), ...path, size, root })
  }

  #checkMoney(type: string, data: unknown, revision: number): void {
    const finding = this.#money.take(type, data)
    if (finding === 'price' || finding === 'balance') {
      throw new Broken(this.events + 1, revision, finding)
    }
    if (finding !== 'unknown') return
    this.#uncovered ??= 'unknown_event'
    this.#knownTo ??= revision - 1
  }
}

const noHeader: EvidenceHeader = {
  svc_evidence: 1,
  stream: '',
  request: null,
  events: 0,
  checkpoint: '',
  proofs: [],
  consistency: [],
  rotations: [],
}

/** @throws {NoteError} */
export function readWitnessKey(text: string): VerifierKey {
  const key = readVerifierKey(text)
  if (key.algorithm === 'cosignature') return key
  throw new NoteError('this is no key of a witness')
}

function readHeader(line: EvidenceLine): EvidenceHeader | undefined {
  const { data } = evidenceHeader.safeParse(parsed(textOf(line)))
  const isAscending = data?.proofs.every(({ event }, index, all) => {
    return event > (all[index - 1]?.event ?? 0)
  })
  return isAscending === true ? data : undefined
}

function readEvent(line: EvidenceLine): EvidenceEvent | undefined {
  const event = parsed(textOf(line))
  return isEvidenceEvent(event) ? event : undefined
}

/** Decodes a line. Gives undefined when the bytes are no UTF-8. */
function textOf(line: EvidenceLine): string | undefined {
  return line !== undefined && isUtf8(line) ? line.toString() : undefined
}

function parsed(text: string | undefined): unknown {
  return text === undefined ? undefined : exactJson(text)
}

function orBroken<Result>(what: BrokenPart, read: () => Result, line = 1): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof NoteError) throw new Broken(line, null, what)
    throw error
  }
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex, 'hex')
}
