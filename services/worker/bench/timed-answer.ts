/** One request to a worker, with the time of each of its tokens. */
import type { GenerateEvent, GenerateRequest, WorkerMeter } from '@svc/contracts/worker/protocol'
import { COLD, outcome } from '@svc/testing/protocol-client'
import type { MeasuredWorker } from './measured-worker.ts'

const TIME_LIMIT_MS = 600_000

export interface Question {
  readonly tenant: string
  readonly tokens: readonly number[]
  readonly maxOutputTokens: number
  /** Tokens that the answer must not have: with those that end it, it is as long as it may be. */
  readonly without?: readonly number[]
  /** Whether the answer tells how likely its tokens were: that differs before its text does. */
  readonly logprobs?: boolean
}

/** Told with each token's log probability. */
const ALTERNATIVES = 3
/** The biggest bias that a request may have: such a token is never drawn. */
const NEVER = -100

let requests = 0

/** A request at temperature 0 for exactly these tokens, with every field filled. */
function plainRequest(worker: MeasuredWorker, question: Question): GenerateRequest {
  const { tenant, tokens, maxOutputTokens, without = [], logprobs = false } = question
  requests += 1
  return {
    requestId: `bench-${process.pid}-${requests}`,
    tenant,
    weight: 1,
    tokens: [...tokens],
    maxOutputTokens,
    fingerprint: worker.health.fingerprint,
    thinking: { enabled: false, effort: 'medium', budgetTokens: null },
    plan: { grammar: null, grammarFrom: 'answer', callable: [], mustCall: false },
    sampling: COLD,
    logitBias: without.map((token): [number, number] => [token, NEVER]),
    topLogprobs: logprobs ? ALTERNATIVES : null,
    stop: [],
    timeLimitMs: TIME_LIMIT_MS,
  }
}

export interface TimedAnswer {
  readonly text: string
  /** From before the request was sent to its first token, or to its end where it has none. */
  readonly firstTokenMs: number
  /** On the clock of `performance.now()`. */
  readonly tokenTimes: readonly number[]
  readonly meter: WorkerMeter
  readonly finishReason: string
  /** Of each token and its alternatives, where they were asked for. */
  readonly logprobs: readonly number[]
}

export interface RunningAnswer {
  /** Resolves at the first token, or at the end; rejects when the answer fails before. */
  readonly started: Promise<void>
  /** Rejects when the answer does not end as it should. */
  readonly ended: Promise<TimedAnswer>
  /** Has the worker end it here. */
  cancel(): Promise<void>
}

export function askWorker(worker: MeasuredWorker, question: Question): RunningAnswer {
  const request = plainRequest(worker, question)
  const tokenTimes: number[] = []
  const started = Promise.withResolvers<void>()
  const startedMs = performance.now()
  const run = async (): Promise<TimedAnswer> => {
    const stream = await worker.client.open(request)
    const stamped = onTokens(stream.events, () => {
      tokenTimes.push(performance.now())
      started.resolve()
    })
    const { text, meter, last, events: all } = await outcome(stamped)
    const [firstMs = performance.now()] = tokenTimes
    if (meter === undefined || last?.type !== 'done') {
      throw new Error(`an answer ended with ${JSON.stringify(last)}`)
    }
    started.resolve()
    const { finishReason } = last
    const logprobs = logprobsOf(all)
    return { text, firstTokenMs: firstMs - startedMs, tokenTimes, meter, finishReason, logprobs }
  }
  const ended = run()
  // Who waits for the end hears of a failure there, who waits for the first token hears it here.
  ended.catch(started.reject)
  started.promise.catch(() => {})
  return {
    started: started.promise,
    ended,
    cancel: async () => {
      await worker.client.cancel(request.requestId)
    },
  }
}

/** @throws Error when the answer does not end as it should */
export function timedAnswer(worker: MeasuredWorker, question: Question): Promise<TimedAnswer> {
  return askWorker(worker, question).ended
}

function logprobsOf(events: readonly GenerateEvent[]): readonly number[] {
  return events
    .flatMap((event) => (event.type === 'token' ? (event.logprobs ?? []) : []))
    .flatMap(({ logprob, top }) => [logprob, ...top.map((each) => each.logprob)])
}

async function* onTokens(
  events: AsyncIterable<GenerateEvent>,
  onToken: () => void,
): AsyncIterable<GenerateEvent> {
  for await (const event of events) {
    if (event.type === 'token') onToken()
    yield event
  }
}
