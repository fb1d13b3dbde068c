/** What goes wrong: switches that a test sets on a running double. All start as "nothing does". */
import { Random } from '../random.ts'

/** What becomes of one append that goes wrong. */
export interface AppendFault {
  readonly commits: boolean
  /** `silence`: no answer ever comes. `reset`: the connection breaks instead of an answer. */
  readonly says: 'reset' | 'silence' | 'timeout' | 'not ready'
}

/** Where clients reach a node. */
export interface NodeAddress {
  readonly host: string
  readonly port: number
}

/** What the switches set off in the server at once. */
export interface FaultActions {
  releaseAppends(): void
  dropSubscriptions(): void
  wakeSubscriptions(): void
}

/** `toss`: each append is lost or committed as the seeded coin falls. */
export type AtKill = 'lose' | 'commit' | 'toss'

export class DoubleFaults {
  /** How long after it was received an append is committed, in milliseconds. */
  commitDelayMs = 0
  /** How long after it was committed an append is answered, in milliseconds. */
  answerDelayMs = 0
  /** What a kill makes of the appends that were received and not yet committed. */
  atKill: AtKill = 'lose'
  /**
   * How long after the restart that follows a kill reads do not see what was committed at its very
   * moment: the log has it, the index catches up. In milliseconds.
   */
  indexLagMs = 0
  /** How far the server's clock is ahead of the client's; negative behind. In milliseconds. */
  clockAheadMs = 0
  /** Calls that require the leader are sent on to this address. */
  notLeader: NodeAddress | undefined
  /**
   * Other nodes of its cluster, which are down: with no leader besides, they are the majority, so
   * that the node steps down, and refuses what asks for the leader as "not ready".
   */
  deadNodes: readonly NodeAddress[] = []
  readonly #actions: FaultActions
  readonly #disturbances: AppendFault[] = []
  #isHolding = false
  #isSilent = false
  #random = new Random(1)
  #delaysUpToMs = 0

  constructor(actions: FaultActions) {
    this.#actions = actions
  }

  /**
   * Appends are received and wait uncommitted. Reads do not see them; the same ids sent again are
   * dropped; both sends are answered "deadline exceeded" when the server's write timeout is over.
   */
  holdAppends(): void {
    this.#isHolding = true
  }

  /** Commits what was held, in order. */
  releaseAppends(): void {
    this.#isHolding = false
    this.#actions.releaseAppends()
  }

  get holdsAppends(): boolean {
    return this.#isHolding
  }

  /** The next appends to be received go wrong in this way. */
  disturbNextAppends(fault: AppendFault, times = 1): void {
    for (let count = 0; count < times; count += 1) this.#disturbances.push(fault)
  }

  /** Ends all open subscriptions, as the server does with a consumer that is too slow. */
  dropSubscriptions(): void {
    this.#actions.dropSubscriptions()
  }

  /** Subscriptions stay open and say nothing more, while all other calls are answered. */
  silenceSubscriptions(): void {
    this.#isSilent = true
  }

  unsilenceSubscriptions(): void {
    this.#isSilent = false
    this.#actions.wakeSubscriptions()
  }

  get silencesSubscriptions(): boolean {
    return this.#isSilent
  }

  /**
   * For crash tests: every append is committed and answered after a random delay, and a kill tosses
   * a coin for each one it meets. The same seed gives the same tosses and delays.
   */
  randomise(seed: number, delaysUpToMs = 4): void {
    this.#random = new Random(seed)
    this.#delaysUpToMs = delaysUpToMs
    this.atKill = 'toss'
  }

  /** For the server: the fault that the append coming in meets. */
  takeDisturbance(): AppendFault | undefined {
    return this.#disturbances.shift()
  }

  /** For the server: how long the append coming in waits to be committed. */
  nextCommitDelayMs(): number {
    return this.commitDelayMs + this.#randomDelayMs()
  }

  nextAnswerDelayMs(): number {
    return this.answerDelayMs + this.#randomDelayMs()
  }

  /** For the server: whether an append that a kill meets is committed. */
  survivesKill(): boolean {
    if (this.atKill === 'toss') return this.#random.next() < 1 / 2
    return this.atKill === 'commit'
  }

  #randomDelayMs(): number {
    return this.#delaysUpToMs === 0 ? 0 : this.#random.next() * this.#delaysUpToMs
  }
}
