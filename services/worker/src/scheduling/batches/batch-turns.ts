/**
 * Whose step the model computes next. All runs share its time, one batch after the other:
 *
 *     waiting steps ──▶ the tenant that had the least time for its weight ──▶ one batch
 *
 * A batch is one chunk of one prompt, or the next tokens of the tenant's answers and of as many
 * others as do not make it much slower, or no slower than turns would be. So whoever asks for
 * little waits for one batch of somebody else at most, however much that one asks for, and no time
 * of the model is left unused.
 *
 * A batch is over when its slowest draw is. Under a grammar a draw can take longer than the model
 * itself: such answers stay out of the batches of others, and have their own.
 *
 * Four times, in milliseconds, decide:
 *
 *     virtualMs          of a tenant: what it had, by its weight. Who had least is next.
 *     virtualNowMs       of the whole. A tenant that did not want its time is set to a moment
 *                        before it, and so comes first for that moment; no more is saved up, and
 *                        nothing beyond a moment when nobody wanted the model's time.
 *     computedAfterMs    of a step: from the start of its batch. The model's part of it goes to
 *                        `batch-cost.ts`, which tells how many answers share a batch;
 *     grammarDrawMs      and the rest of it, of a tenant, whether its draws keep others waiting.
 */
import { BatchCost } from './batch-cost.ts'
import type { StopRequest } from './stop-request.ts'

/**
 * A tenant keeps at most this much of the time that it did not want, and has it later, before
 * others.
 */
const SAVED_MS_MAX = 100
/**
 * Answers of others may make a batch take this many times as long as without them, or as long as
 * the turns would take that it replaces: one for each account, by its weight.
 */
const SHARING_COST_MAX = 2
/** Or they may make a batch take this long, because nobody reads a hundred tokens in a second. */
const SHORT_BATCH_MS = 10
/** A draw under a grammar that takes no longer than this is never slow. */
const SLOW_DRAW_MS = 2
/** What a tenant's earlier draws under a grammar weigh beside the newest: about five count. */
const KEPT_DRAW_SHARE = 0.8

/** `alone`: what must not share a batch, or needs the model's whole memory. */
export type StepKind = 'chunk' | 'token' | 'alone'

/** A run that has steps, one at a time. */
export interface Stepping {
  readonly tenant: string
  /** Whether its next token is drawn under a grammar. Left out: it is not. */
  readonly hasGrammar?: boolean
  readonly weight: number
  readonly stop: StopRequest
}

interface Step {
  readonly kind: StepKind
  readonly hasGrammar: boolean
  /** Whose turn it waits for. */
  readonly share: Share
  /** Whose time it takes. */
  readonly payer: Share
  /** Resolves to whether its turn came. */
  readonly turn: PromiseWithResolvers<boolean>
  /** Milliseconds from the start of its batch until it was computed. */
  computedAfterMs: number
}

/** A tenant with steps that wait or are computed. */
interface Share {
  waiting: Step[]
  weight: number
  /** Its virtual time: milliseconds of the model's time that it had, divided by its weight. */
  virtualMs: number
  computing: number
  lastWasChunk: boolean
  /** What its draws under a grammar took beside the model lately, in milliseconds each. */
  grammarDrawMs: number
}

interface StepTerms {
  readonly weight?: number | undefined
  readonly payer?: Share | undefined
  readonly hasGrammar?: boolean | undefined
}

export class BatchTurns {
  readonly #nowMs: () => number
  readonly #cost = new BatchCost()
  readonly #shares = new Map<string, Share>()
  /** The virtual time of the whole, which only goes forward: that of the latest turn's tenant. */
  #virtualNowMs = 0
  #computing: readonly Step[] = []
  #unended = 0
  #startedMs = 0
  #isDeciding = false

  /** @param nowMs milliseconds of a clock that only goes forward */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /**
   * Does the work when it is the run's turn.
   *
   * @returns null, and nothing was done, when the run was asked to stop before its turn
   */
  async step<Result>(
    run: Stepping,
    kind: StepKind,
    work: () => Promise<Result>,
  ): Promise<Result | null> {
    const { tenant, weight, stop, hasGrammar } = run
    if (stop.reason !== null) return null
    const step = this.#wait(tenant, kind, { weight, hasGrammar })
    const leave = (): void => this.#leave(step)
    stop.wait(leave)
    const isTurn = await step.turn.promise
    stop.stopWaiting(leave)
    return isTurn ? await this.#compute(step, work) : null
  }

  /**
   * Does work of the tenant that needs the model's whole memory, when it is the tenant's turn.
   *
   * @param waiting the tenant that has to wait for it, if it is another: it is done at its turn
   */
  async alone<Result>(
    tenant: string,
    work: () => Promise<Result>,
    waiting = tenant,
  ): Promise<Result> {
    const step = this.#wait(waiting, 'alone', { payer: this.#shareOf(tenant) })
    await step.turn.promise
    return await this.#compute(step, work)
  }

  async #compute<Result>(step: Step, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } finally {
      step.computedAfterMs = this.#nowMs() - this.#startedMs
      this.#ended()
    }
  }

  #wait(tenant: string, kind: StepKind, { weight, payer, hasGrammar = false }: StepTerms): Step {
    const share = this.#shareOf(tenant, weight)
    const turn = Promise.withResolvers<boolean>()
    const step: Step = { kind, hasGrammar, share, payer: payer ?? share, turn, computedAfterMs: 0 }
    share.waiting.push(step)
    this.#decideSoon()
    return step
  }

  #shareOf(tenant: string, weight?: number): Share {
    const leastMs = this.#virtualNowMs - SAVED_MS_MAX
    const known = this.#shares.get(tenant)
    const share = known ?? { ...NOTHING, waiting: [], weight: 1, virtualMs: leastMs }
    share.weight = weight ?? share.weight
    if (isIdle(share)) share.virtualMs = Math.max(share.virtualMs, leastMs)
    this.#shares.set(tenant, share)
    return share
  }

  /** Takes a step out of the queue. A step whose turn has come stays as it is. */
  #leave({ share, turn }: Step): void {
    share.waiting = share.waiting.filter((other) => other.turn !== turn)
    turn.resolve(false)
  }

  /** Decides after those that ended with the last batch could ask for their next step. */
  #decideSoon(): void {
    if (this.#isDeciding || this.#unended > 0) return
    this.#isDeciding = true
    setImmediate(() => {
      this.#isDeciding = false
      this.#decide()
    })
  }

  #decide(): void {
    const waiting = this.#byTimeUsed()
    const [leader] = waiting
    if (leader === undefined) {
      // Whoever had more time than others has taken it from nobody who wants it now.
      this.#shares.clear()
      return
    }
    this.#virtualNowMs = Math.max(this.#virtualNowMs, leader.virtualMs)
    this.#computing = this.#batchOf(leader, waiting)
    this.#unended = this.#computing.length
    this.#startedMs = this.#nowMs()
    for (const { share, payer, turn } of this.#computing) {
      share.waiting = share.waiting.filter((other) => other.turn !== turn)
      payer.computing += 1
      turn.resolve(true)
    }
  }

  /**
   * Sorts those with waiting steps by their time, and forgets who has none and is not ahead of a
   * newcomer.
   */
  #byTimeUsed(): Share[] {
    const leastMs = this.#virtualNowMs - SAVED_MS_MAX
    for (const [tenant, share] of this.#shares) {
      if (isIdle(share) && share.virtualMs <= leastMs) this.#shares.delete(tenant)
    }
    const waiting = [...this.#shares.values()].filter((share) => share.waiting.length > 0)
    return waiting.toSorted((one, other) => one.virtualMs - other.virtualMs)
  }

  /** An account's prompts and answers take turns; a lonely step is a batch of its own. */
  #batchOf(leader: Share, waiting: readonly Share[]): Step[] {
    const tokens = tokensOf(leader)
    const others = leader.waiting.filter(({ kind }) => kind !== 'token')
    const [other] = others
    const takesOther = other !== undefined && (tokens.length === 0 || !leader.lastWasChunk)
    leader.lastWasChunk = takesOther
    if (takesOther) return [other]
    return this.#withOthers(leader, waiting)
  }

  #withOthers(leader: Share, waiting: readonly Share[]): Step[] {
    const own = tokensOf(leader)
    const sharing = waiting.filter((share) => tokensOf(share).length > 0)
    const others = sharing.filter((share) => share !== leader).flatMap(tokensOf)
    const turns = sharing.reduce((sum, { weight }) => sum + weight, 0) / leader.weight
    const width = this.#widthOf(own.length, own.length + others.length, turns)
    const drawMsMax = Math.max(SLOW_DRAW_MS, this.#cost.of(width), ...own.map(drawMsOf))
    const taken = others.filter((step) => drawMsOf(step) <= drawMsMax)
    return [...own, ...taken.slice(0, width - own.length)]
  }

  /**
   * How many answers a batch has: of as many as it may have, the number that makes each cheapest.
   *
   * @param own answers of the account whose turn it is, which are in it in any case
   * @param all answers that wait
   * @param turns how many turns of the leader's length pass until it is the leader's again
   */
  #widthOf(own: number, all: number, turns: number): number {
    const costMs = (width: number): number => this.#cost.of(width)
    if (costMs(all) <= SHORT_BATCH_MS) return all
    // What sharing adds is seen beside a batch without it.
    if (!this.#cost.knows(own) && costMs(own) > SHORT_BATCH_MS) return own
    const mostMs = Math.max(SHORT_BATCH_MS, Math.max(SHARING_COST_MAX, turns) * costMs(own))
    let best = own
    for (let width = own + 1; width <= all; width += 1) {
      if (costMs(width) <= mostMs && costMs(width) / width <= costMs(best) / best) best = width
    }
    return best
  }

  #ended(): void {
    this.#unended -= 1
    if (this.#unended > 0) return
    const ms = this.#nowMs() - this.#startedMs
    const batch = this.#computing
    this.#measure(batch.filter(({ kind }) => kind === 'token'))
    for (const { payer } of batch) {
      payer.computing -= 1
      payer.virtualMs += ms / batch.length / payer.weight
    }
    this.#computing = []
    this.#decideSoon()
  }

  /** Tells the model's time from that of draws under a grammar. */
  #measure(tokens: readonly Step[]): void {
    if (tokens.length === 0) return
    const grammarSteps = tokens.filter(({ hasGrammar }) => hasGrammar)
    const freeSteps = tokens.filter(({ hasGrammar }) => !hasGrammar)
    const modelMs =
      freeSteps.length > 0
        ? Math.max(...freeSteps.map(({ computedAfterMs }) => computedAfterMs))
        : Math.max(
            0,
            Math.min(...grammarSteps.map((step) => step.computedAfterMs - drawMsOf(step))),
          )
    this.#cost.measured(tokens.length, modelMs)
    for (const { share, computedAfterMs } of grammarSteps) {
      const drawMs = Math.max(0, computedAfterMs - modelMs)
      const before = share.grammarDrawMs === 0 ? drawMs : share.grammarDrawMs
      share.grammarDrawMs = KEPT_DRAW_SHARE * before + (1 - KEPT_DRAW_SHARE) * drawMs
    }
  }
}

const NOTHING = { computing: 0, lastWasChunk: false, grammarDrawMs: 0 }

/** What the step's draw is expected to take beside the model, in milliseconds. */
function drawMsOf({ hasGrammar, share }: Step): number {
  return hasGrammar ? share.grammarDrawMs : 0
}

function isIdle({ waiting, computing }: Share): boolean {
  return waiting.length === 0 && computing === 0
}

function tokensOf({ waiting }: Share): Step[] {
  return waiting.filter(({ kind }) => kind === 'token')
}
