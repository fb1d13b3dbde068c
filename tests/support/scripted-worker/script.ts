/** What a scripted worker plays: how many tokens, how fast, and what goes wrong on the way. */
import { createHmac } from 'node:crypto'
import type { FinishReason } from '@svc/contracts/events/account'
import type {
  AnswerPlan,
  Logprob,
  PrepareRequest,
  StateResponse,
  TierState,
  WorkerError,
} from '@svc/contracts/worker/protocol'

const BLOCK_NAME_CHARACTERS = 32

/** The error of a refusal, as the worker protocol has it. */
type Refusal = Omit<WorkerError['error'], 'message'>

export type Fault =
  /** Closes the connection without a word, as a process that dies does. */
  | { readonly kind: 'die'; readonly afterTokens: number }
  /** Meters and reports an error. */
  | {
      readonly kind: 'error'
      readonly afterTokens: number
      readonly meter: boolean
      /** `failed` where nothing else is said. */
      readonly code?: string
    }
  /** Says nothing any more, until it is cancelled. */
  | { readonly kind: 'hang'; readonly afterTokens: number }
  | { readonly kind: 'garbage'; readonly afterTokens: number; readonly line: string }
  /** Ends well, with counts that are wrong by these amounts. */
  | { readonly kind: 'wrong-meter'; readonly input: number; readonly output: number }
  | { readonly kind: 'no-meter' }
  /** Refuses with an error status before anything is made. */
  | ({ readonly kind: 'refuse'; readonly status: number } & Refusal)

/** One output token of an answer that is written out, and what the gateway is told of it. */
export type ScriptedEvent =
  | { readonly text: string; readonly logprobs?: Logprob[] }
  | { readonly reasoning: string }
  /** JSON text of the last call. */
  | { readonly arguments: string }
  /** The name of the tool that is called from here on. */
  | { readonly call: string }

/** How an answer ends that was not cut. */
export interface ScriptedEnd {
  readonly finishReason: FinishReason
  readonly stopText: string | null
}

export interface WorkerScript {
  readonly tokens: number
  /** Between tokens; 0 sends all at once. */
  readonly delayMs: number
  /** Before the first token. */
  readonly prefillMs: number
  readonly prepareMs: number
  /** What `/prepare` waits for, beside its time. */
  readonly prepareAfter: Promise<unknown>
  /** The first of the tokens, which are reasoning. */
  readonly reasoningTokens: number
  /** Of the prompt, counted as cached, up to the prompt's length. */
  readonly cachedTokens: number
  readonly text: (index: number) => string
  /**
   * The answer written out, a token each, in place of `tokens`, `reasoningTokens` and `text`:
   * calls of tools, reasoning and log probabilities are played in this way.
   */
  readonly events: readonly ScriptedEvent[] | null
  /** Default: `tool_calls` after a call, else `stop`. */
  readonly end: ScriptedEnd | null
  /** What `/prepare` returns; it promises a reading of calls, and no grammar. */
  readonly plan: Partial<AnswerPlan>
  /** Names of the prompt's blocks that `/prepare` returns, such as `messageBlocks`. */
  readonly blocks: (request: PrepareRequest) => string[]
  /** What `/prepare` refuses with, such as `unsupported_schema`. */
  readonly prepareRefusal:
    | ({
        readonly status: number
      } & WorkerError['error'])
    | null
  readonly fault: Fault | null
  /** A worker that acknowledges no cancel and plays on. */
  readonly deafToCancel: boolean
}

export const plainScript: WorkerScript = {
  tokens: 8,
  delayMs: 0,
  prefillMs: 0,
  prepareMs: 0,
  prepareAfter: Promise.resolve(),
  reasoningTokens: 0,
  cachedTokens: 0,
  text: (index) => (index === 0 ? 'word' : ` word${index}`),
  events: null,
  end: null,
  plan: {},
  blocks: () => [],
  prepareRefusal: null,
  fault: null,
  deafToCancel: false,
}

/** The answer of a script: how many output tokens it has, and each of them. */
export interface ScriptedAnswer {
  readonly length: number
  at(index: number): ScriptedEvent
}

/** Made as it is played: a script may have more text than fits the memory of many runs. */
export function scriptedAnswer(script: WorkerScript): ScriptedAnswer {
  const { events, tokens, reasoningTokens } = script
  if (events !== null) {
    return { length: events.length, at: (index) => events[index] ?? { text: '' } }
  }
  return {
    length: tokens,
    at: (index) => {
      const text = script.text(index)
      return index < reasoningTokens ? { reasoning: text } : { text }
    },
  }
}

/**
 * Names of a prompt's blocks as a real worker makes them, with a message in place of 128 tokens:
 * each is keyed by the tenant and by everything before it, and the last message is never in one.
 */
export function messageBlocks({ tenant, messages }: PrepareRequest): string[] {
  let name = ''
  return messages.slice(0, -1).map((message) => {
    const text = `${name}${JSON.stringify(message)}`
    name = createHmac('sha256', tenant).update(text).digest('hex').slice(0, BLOCK_NAME_CHARACTERS)
    return name
  })
}

export const emptyTier: TierState = {
  blocks: 0,
  bytes: 0,
  bytesMax: 0,
  evictions: 0,
  hits: 0,
  misses: 0,
  writes: 0,
  refused: 0,
  failures: 0,
  corrupt: 0,
}

/** The state of a worker to which nothing has happened yet. */
export const freshState: StateResponse = {
  queued: 0,
  running: 0,
  sequences: 8,
  ended: 0,
  totals: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
  cache: {
    lookups: 0,
    hits: 0,
    reusedTokens: { l1: 0, l2: 0 },
    waits: 0,
    notWorthFetching: 0,
    restoreFailures: 0,
    answerTokensRead: 0,
    l1: null,
    l2: null,
  },
  batches: { prompt: 0, promptTokens: 0, decode: 0, decodeTokens: 0 },
  putAside: { total: 0, requests: 0, bytes: 0 },
  meterMismatches: 0,
}
