/**
 * Appends on their way: received → (held or delayed) → committed → (delayed) → answered.
 *
 * An append whose ids are on the way already is dropped and answered with a timeout, as the real
 * server does: only a third send, after the first is committed, learns of the success.
 */
import type { AppendAnswer } from './append-answers.ts'
import type { AppendFault, DoubleFaults } from './double-faults.ts'
import type { EventLog } from './event-log.ts'
import type { PausableTimers } from './pausable-timers.ts'
import { dataBytes, isWellFormed, type ProposedAppend } from './proposed-append.ts'

export interface AppendQueueParts {
  readonly log: EventLog
  readonly timers: PausableTimers
  readonly faults: DoubleFaults
  readonly appendBytesMax: number
  readonly writeTimeoutMs: number
  /** Breaks the connection that an append came over. */
  readonly reset: (peerPort: number) => void
}

/** Where an append came from and how it is answered. */
export interface AppendSender {
  readonly peerPort: number
  readonly answer: (answer: AppendAnswer) => void
}

interface PendingAppend {
  readonly append: ProposedAppend
  readonly sender: AppendSender
  readonly fault: AppendFault | undefined
  isHeld: boolean
}

export class AppendQueue {
  readonly #parts: AppendQueueParts
  /** Received and not committed, in the order of arrival. */
  readonly #pending = new Map<string, PendingAppend>()
  #received = 0

  constructor(parts: AppendQueueParts) {
    this.#parts = parts
  }

  get received(): number {
    return this.#received
  }

  get uncommitted(): number {
    return this.#pending.size
  }

  submit(append: ProposedAppend, sender: AppendSender): void {
    this.#received += 1
    const key = keyOf(append)
    const refusal = this.#refusal(append)
    if (refusal !== undefined) sender.answer(refusal)
    else if (this.#isPastDeadline(append)) sender.answer({ kind: 'timeout' })
    else if (this.#pending.has(key)) this.#answerTimeout(sender)
    else this.#take(key, append, answeringOnce(sender))
  }

  /** Commits what was held, in the order in which it came. */
  release(): void {
    for (const [key, pending] of this.#pending) {
      if (pending.isHeld) this.#commit(key, pending)
    }
  }

  /** The process dies: what was received and not committed is lost, or just made it. */
  kill(): void {
    const { log, faults } = this.#parts
    log.hideFromHere()
    for (const { append } of this.#pending.values()) {
      if (faults.survivesKill()) log.append(append.stream, append.expected, append.events)
    }
    this.#pending.clear()
  }

  /** The process ends in order and commits nothing more. */
  refuseAll(): void {
    for (const { sender } of this.#pending.values()) sender.answer({ kind: 'not ready' })
    this.#pending.clear()
  }

  #refusal(append: ProposedAppend): AppendAnswer | undefined {
    const { appendBytesMax } = this.#parts
    if (!isWellFormed(append)) return { kind: 'bad request' }
    if (dataBytes(append) <= appendBytesMax) return undefined
    return { kind: 'too large', limit: appendBytesMax }
  }

  /** The server believes the client's clock: one that is behind has no time left. */
  #isPastDeadline({ deadlineMs = Number.POSITIVE_INFINITY }: ProposedAppend): boolean {
    return deadlineMs <= this.#parts.log.nowMs()
  }

  #take(key: string, append: ProposedAppend, sender: AppendSender): void {
    const { timers, faults } = this.#parts
    const fault = faults.takeDisturbance()
    if (fault?.commits === false) {
      this.#say(fault.says, sender)
      return
    }
    const pending: PendingAppend = { append, sender, fault, isHeld: faults.holdsAppends }
    const delay = pending.isHeld ? 0 : faults.nextCommitDelayMs()
    this.#pending.set(key, pending)
    if (!pending.isHeld && delay === 0) {
      this.#commit(key, pending)
      return
    }
    this.#answerTimeout(sender)
    if (pending.isHeld) return
    timers.after(delay, () => {
      if (faults.holdsAppends) pending.isHeld = true
      else this.#commit(key, pending)
    })
  }

  #commit(key: string, pending: PendingAppend): void {
    const { append, sender, fault } = pending
    const { log, timers, faults } = this.#parts
    this.#pending.delete(key)
    const outcome = log.append(append.stream, append.expected, append.events)
    // What is acknowledged is in the index, and so is all that was written before it.
    if (outcome.kind === 'success') log.showAll()
    if (fault !== undefined) {
      this.#say(fault.says, sender)
      return
    }
    const delay = faults.nextAnswerDelayMs()
    if (delay === 0) sender.answer(outcome)
    else timers.after(delay, () => sender.answer(outcome))
  }

  #say(words: AppendFault['says'], sender: AppendSender): void {
    if (words === 'reset') this.#parts.reset(sender.peerPort)
    else if (words === 'timeout') this.#answerTimeout(sender)
    else if (words === 'not ready') sender.answer({ kind: 'not ready' })
  }

  #answerTimeout(sender: AppendSender): void {
    const { timers, writeTimeoutMs } = this.#parts
    timers.after(writeTimeoutMs, () => sender.answer({ kind: 'timeout' }))
  }
}

function keyOf({ stream, expected, events }: ProposedAppend): string {
  return `${stream}\n${expected}\n${events.map(({ id }) => id).join()}`
}

/** Whatever comes first, the outcome or the timeout, is the answer. */
function answeringOnce({ peerPort, answer }: AppendSender): AppendSender {
  let isAnswered = false
  return {
    peerPort,
    answer: (said) => {
      if (isAnswered) return
      isAnswered = true
      answer(said)
    },
  }
}
