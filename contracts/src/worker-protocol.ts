/**
 * What gateway and inference worker say to each other: HTTP/1.1 on a unix socket or TCP, JSON in,
 * JSON or newline-delimited JSON out, so that a worker can run elsewhere and be tried with curl.
 *
 *     GET  /health              → HealthAnswer
 *     GET  /state               → StateAnswer
 *     POST /prepare             PrepareRequest  → PrepareAnswer: render, tokenise, count
 *     POST /generate            GenerateRequest → a line of JSON per GenerateEvent
 *     POST /cancel              CancelRequest   → CancelAnswer; the stream then ends with its meter
 *
 * On TCP every request carries `authorization: Bearer <shared secret>`. An error is a WorkerError
 * with a 4xx or 5xx status. Closing the connection of `/generate` is a cancel as well. A generate
 * stream is: `token`*, then `meter`, then `done`; or, when the run breaks, `meter`? and `error`.
 */
import { z } from 'zod'
import { cacheEvidence, finishReason, latencies } from './events/account.ts'
import { tokenCount } from './tokens.ts'

export const workerPaths = {
  health: '/health',
  state: '/state',
  prepare: '/prepare',
  generate: '/generate',
  cancel: '/cancel',
} as const

export const healthAnswer = z.object({
  status: z.enum(['loading', 'ready', 'draining']),
  workerId: z.string(),
  /** Equal fingerprints give equal tokens: model file, library, chat template. */
  fingerprint: z.string(),
  modelName: z.string(),
  /** True for the bundled demo model, so that every face can say that it is a toy. */
  toy: z.boolean(),
  /** Tokens that fit: prompt and output together. */
  contextSize: tokenCount,
  threads: z.int().min(1),
  cpuVariant: z.string(),
})
export type HealthAnswer = z.output<typeof healthAnswer>

export const stateAnswer = z.object({
  queued: z.int().min(0),
  running: z.int().min(0),
  sequences: z.int().min(1),
  /** Requests that ended since the start. */
  ended: z.int().min(0),
  /** Sums since the start: the worker's side of the daily reconciliation. */
  totals: z.object({
    inputTokens: z.int().min(0),
    cachedInputTokens: z.int().min(0),
    outputTokens: z.int().min(0),
  }),
})
export type StateAnswer = z.output<typeof stateAnswer>

/** A turn of the conversation, already reduced to text. `developer` was folded into `system`. */
export const promptMessage = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
})
export type PromptMessage = z.output<typeof promptMessage>

export const prepareRequest = z.object({
  messages: z.array(promptMessage).min(1).max(4096),
  /** Whether the model may think before it answers. */
  thinking: z.boolean(),
})
export type PrepareRequest = z.output<typeof prepareRequest>

export const prepareAnswer = z.object({
  /** The rendered prompt. User text is tokenised as text: it never becomes a control token. */
  tokens: z.array(z.int().min(0)),
  fingerprint: z.string(),
  contextSize: tokenCount,
  /** What is left of the context for the output. 0 or less: the prompt does not fit. */
  maxOutputTokens: z.int(),
})
export type PrepareAnswer = z.output<typeof prepareAnswer>

/** How the next token is chosen. Every field is explicit: no default of the runtime leaks in. */
export const sampling = z.object({
  temperature: z.number().min(0).max(2),
  topP: z.number().min(0).max(1),
  /** 0 is off. */
  topK: z.int().min(0),
  minP: z.number().min(0).max(1),
  seed: z.int().min(0).nullable(),
  frequencyPenalty: z.number().min(-2).max(2),
  presencePenalty: z.number().min(-2).max(2),
  /** 1 is off. */
  repetitionPenalty: z.number().min(0.1).max(10),
})
export type Sampling = z.output<typeof sampling>

export const generateRequest = z.object({
  requestId: z.string().min(1).max(64),
  /** Whose request it is: prefixes are only ever reused within one tenant. */
  tenant: z.string().min(1).max(64),
  /** As `/prepare` gave them, by a worker of the same fingerprint. */
  tokens: z.array(z.int().min(0)).min(1),
  fingerprint: z.string(),
  thinking: z.boolean(),
  maxOutputTokens: z.int().min(1),
  sampling,
  /** Texts that end the answer and are not part of it. */
  stop: z.array(z.string().min(1).max(256)).max(16),
  /** Milliseconds after which the worker stops by itself. */
  timeLimitMs: z.int().min(1),
})
export type GenerateRequest = z.output<typeof generateRequest>

/** The worker's count when a run ends, however it ends. What is billed is made of nothing else. */
export const workerMeter = z.object({
  inputTokens: tokenCount,
  cachedInputTokens: tokenCount,
  outputTokens: tokenCount,
  reasoningTokens: tokenCount,
  workerId: z.string(),
  cache: cacheEvidence,
  latencies,
})
export type WorkerMeter = z.output<typeof workerMeter>

export const generateEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('token'),
    /** Valid UTF-8, never half a character, never part of a stop text. May be empty. */
    text: z.string(),
    kind: z.enum(['text', 'reasoning']),
    /** Output tokens made so far, this one included. */
    outputTokens: tokenCount,
  }),
  z.object({ type: z.literal('meter'), meter: workerMeter }),
  z.object({
    type: z.literal('done'),
    finishReason,
    /** The stop text that ended the answer, or null. */
    stopText: z.string().nullable(),
  }),
  z.object({ type: z.literal('error'), code: z.string(), message: z.string() }),
])
export type GenerateEvent = z.output<typeof generateEvent>

export const cancelRequest = z.object({ requestId: z.string() })
export type CancelRequest = z.output<typeof cancelRequest>

/** `found` is false when the request is unknown or has ended already. */
export const cancelAnswer = z.object({ requestId: z.string(), found: z.boolean() })
export type CancelAnswer = z.output<typeof cancelAnswer>

export const workerErrorCodes = [
  'bad_request',
  'unauthorized',
  'prompt_too_long',
  'fingerprint_mismatch',
  'queue_full',
  'draining',
  'not_found',
  'failed',
] as const

export const workerError = z.object({
  error: z.object({ code: z.enum(workerErrorCodes), message: z.string() }),
})
export type WorkerError = z.output<typeof workerError>
export type WorkerErrorCode = (typeof workerErrorCodes)[number]
