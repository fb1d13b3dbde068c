/** One run of the cache's soak test on workers and a Redis that are there. */
import { hash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { RedisServer } from '@svc/testing/redis/redis-server'
import type { Question, TimedAnswer } from '../../services/worker/bench/timed-answer.ts'
import { type Conversation, conversationOf, seeded, type Tokenize } from './cache-conversations.ts'
import { Faults } from './cache-faults.ts'
import { type CachedWorker, type CacheFleet, cachedWorkers } from './cache-fleet.ts'
import { KnownPrefixes } from './cache-known-prefixes.ts'
import { LeakWatch } from './cache-leaks.ts'
import type { CacheSoakOptions } from './cache-soak.ts'

/** Conversations that are held at once. */
const SPEAKERS = 2
/** Conversations between two looks at what the workers hold. */
const LEG = 250
/** A short run looks so often as well. */
const LEGS_MIN = 3
/** Answers that wait for the reference. */
const UNCHECKED_MAX = 32
/** After one of eight turns there is a pause, in which its answer is read. */
const PAUSED_OF = 8
const PAUSE_MS = 300
/** The first contradictions are what is needed. */
const CONTRADICTIONS_MAX = 10
const TEXT_SHOWN = 80
const HASH_SHOWN = 8

export interface CacheSoakSummary {
  readonly seed: number
  readonly conversations: number
  readonly requests: number
  /** Asked again because the worker was killed. */
  readonly retries: number
  readonly input_tokens: number
  readonly cached_percent: number
  readonly from_l1: number
  readonly from_l2: number
  readonly faults: Readonly<Record<string, number>>
  readonly minutes: number
  /** Empty, or something is wrong. */
  readonly contradictions: readonly string[]
}

export class CacheSoak {
  readonly #options: CacheSoakOptions
  readonly #fleet: CacheFleet
  readonly #faults: Faults
  readonly #known = new KnownPrefixes()
  readonly #leaks = new LeakWatch()
  readonly #contradictions: string[] = []
  readonly #counts = {
    requests: 0,
    inputTokens: 0,
    cachedTokens: 0,
    none: 0,
    l1: 0,
    l2: 0,
    read: 0,
  }
  readonly #startedMs = performance.now()
  readonly #tokenize: Tokenize
  /** Answers are compared one after the other, while the next ones are made. */
  #checking: Promise<void> = Promise.resolve()
  #unchecked = 0
  #next = 0

  constructor(options: CacheSoakOptions, redis: RedisServer, fleet: CacheFleet) {
    this.#options = options
    this.#fleet = fleet
    this.#faults = new Faults(redis, fleet, seeded(options.seed, 'faults', 0))
    this.#tokenize = async (tenant, messages) =>
      (await fleet.reference.client.prepare(messages, { tenant })).tokens
  }

  async run(): Promise<CacheSoakSummary> {
    const { conversations } = this.#options
    const leg = Math.min(LEG, Math.ceil(conversations / LEGS_MIN))
    while (this.#next < conversations && !this.#isOver) {
      await this.#holdConversations(Math.min(this.#next + leg, conversations))
      await this.#faults.heal()
      await this.#lookAtWorkers()
      this.#options.say(this.#progress())
    }
    this.#checkThatTheCacheWasUsed()
    return this.#summary()
  }

  get #isOver(): boolean {
    return this.#contradictions.length >= CONTRADICTIONS_MAX
  }

  async #holdConversations(end: number): Promise<void> {
    const speaker = async () => {
      while (this.#next < end && !this.#isOver) {
        const index = this.#next
        this.#next += 1
        await this.#faults.before(index)
        await this.#hold(index, conversationOf(this.#options.seed, index))
      }
    }
    await Promise.all(Array.from({ length: SPEAKERS }, speaker))
    await this.#checking
  }

  async #hold(index: number, conversation: Conversation): Promise<void> {
    const { tenant, maxOutputTokens, lots, turns } = conversation
    for (let turn = 0; turn < turns; turn += 1) {
      const where = `conversation ${index}, turn ${turn} of ${tenant}`
      try {
        const tokens = await conversation.prompt(turn, this.#tokenize)
        const worker = cachedWorkers[(lots[turn] ?? 0) % cachedWorkers.length] ?? 0
        const question = { tenant, tokens, maxOutputTokens, logprobs: true }
        const answer = await this.#ask(worker, question, `${where} on worker ${worker}`)
        conversation.answered(answer.text)
        if ((lots[turn] ?? 0) % PAUSED_OF === 0) await setTimeout(PAUSE_MS)
      } catch (error) {
        this.#contradict(where, `failed: ${String(error)}`)
        return
      }
    }
  }

  async #ask(worker: CachedWorker, question: Question, where: string): Promise<TimedAnswer> {
    const { tenant, tokens } = question
    const send = () => this.#known.send(tenant, tokens)
    const { answer, attempt } = await this.#fleet.ask(worker, question, send)
    const { meter } = answer
    this.#counts.requests += 1
    this.#counts.inputTokens += tokens.length
    this.#counts.cachedTokens += meter.cachedInputTokens
    this.#counts[meter.cache.source] += 1
    this.#known.answered(attempt, tenant, meter.outputTokens)
    const cacheable = this.#known.cacheableTokens(attempt, tenant, tokens)
    for (const problem of meterProblems(answer, tokens.length, cacheable)) {
      this.#contradict(where, problem)
    }
    await this.#compareLater(question, answer, where)
    return answer
  }

  /** Resolves when the reference is not too far behind. */
  async #compareLater(question: Question, answer: TimedAnswer, where: string): Promise<void> {
    this.#unchecked += 1
    this.#checking = this.#checking.then(async () => {
      try {
        const reference = await this.#fleet.askReference(question)
        for (const problem of differences(answer, reference)) this.#contradict(where, problem)
      } catch (error) {
        this.#contradict(where, `the reference failed: ${String(error)}`)
      }
      this.#unchecked -= 1
    })
    if (this.#unchecked > UNCHECKED_MAX) await this.#checking
  }

  async #lookAtWorkers(): Promise<void> {
    const where = `after ${this.#next} conversations`
    for (const worker of await this.#fleet.all()) {
      const { l1, answerTokensRead } = (await worker.client.state()).cache
      this.#counts.read = Math.max(this.#counts.read, answerTokensRead)
      const isWarm = l1 === null || l1.evictions > 0
      for (const problem of await this.#leaks.look(worker, isWarm)) this.#contradict(where, problem)
    }
    const mismatches = await this.#fleet.meterMismatches()
    if (mismatches > 0) this.#contradict(where, `${mismatches} prompts were counted in two ways`)
    const files = this.#fleet.leftFiles()
    if (files.length > 0) this.#contradict(where, `workers have left ${files.join(', ')}`)
  }

  /** What never happened has not been tested. */
  #checkThatTheCacheWasUsed(): void {
    for (const source of ['l1', 'l2'] as const) {
      if (this.#counts[source] === 0) this.#contradict('in the end', `nothing came from ${source}`)
    }
    if (this.#counts.read === 0) this.#contradict('in the end', 'no answer was read ahead')
  }

  #contradict(where: string, what: string): void {
    const contradiction = `seed ${this.#options.seed}, ${where}: ${what}`
    if (this.#isOver) return
    this.#contradictions.push(contradiction)
    this.#options.say(contradiction)
  }

  #progress(): string {
    const { requests, cached_percent, from_l1, from_l2, minutes } = this.#summary()
    return (
      `${this.#next} of ${this.#options.conversations} conversations, ${requests} requests, ` +
      `${cached_percent} % of their tokens cached (${from_l1} from L1, ${from_l2} from L2), ` +
      `${minutes} min, ${this.#contradictions.length} contradictions`
    )
  }

  #summary(): CacheSoakSummary {
    const { requests, inputTokens, cachedTokens, l1, l2 } = this.#counts
    return {
      seed: this.#options.seed,
      conversations: this.#next,
      requests,
      retries: this.#fleet.retries,
      input_tokens: inputTokens,
      cached_percent: Math.round((cachedTokens / inputTokens) * 1000) / 10,
      from_l1: l1,
      from_l2: l2,
      faults: this.#faults.counts,
      minutes: Math.round((performance.now() - this.#startedMs) / 600) / 100,
      contradictions: [...this.#contradictions],
    }
  }
}

function meterProblems(
  { meter }: TimedAnswer,
  promptTokens: number,
  cacheableTokens: number,
): readonly string[] {
  const { inputTokens, cachedInputTokens, cache } = meter
  const problems: string[] = []
  const say = (problem: string) => problems.push(`${problem} (from ${cache.source})`)
  if (inputTokens + cachedInputTokens !== promptTokens) {
    say(`${cachedInputTokens} cached + ${inputTokens} computed tokens of ${promptTokens}`)
  }
  if (cache.evaluatedTokens !== inputTokens) {
    say(`${inputTokens} tokens are billed as computed, the runtime saw ${cache.evaluatedTokens}`)
  }
  if (cachedInputTokens > cacheableTokens) {
    say(`${cachedInputTokens} tokens were cached, ${cacheableTokens} could be`)
  }
  if ((cache.source === 'none') !== (cachedInputTokens === 0)) {
    say(`${cachedInputTokens} tokens were cached`)
  }
  return problems
}

/** A cache that changes the model's memory changes probabilities long before it changes a text. */
function differences(answer: TimedAnswer, reference: TimedAnswer): readonly string[] {
  const told = ({ text, finishReason, meter, logprobs }: TimedAnswer) =>
    `${JSON.stringify(text.slice(0, TEXT_SHOWN))} (${meter.outputTokens} tokens, ${finishReason}, ` +
    `log probabilities ${hash('sha256', logprobs.join()).slice(0, HASH_SHOWN)})`
  if (answer.text === reference.text && told(answer) === told(reference)) return []
  const { cachedInputTokens, cache } = answer.meter
  return [
    `with ${cachedInputTokens} tokens from ${cache.source} it is ${told(answer)}, ` +
      `without cache ${told(reference)}`,
  ]
}
