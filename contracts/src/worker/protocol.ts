/**
 * What gateway and inference worker say to each other: HTTP/1.1 on a unix socket or TCP, JSON in,
 * JSON or newline-delimited JSON out, so that a worker can run elsewhere and be tried with curl.
 *
 *     GET  /health              → HealthResponse
 *     GET  /state               → StateResponse
 *     POST /prepare             PrepareRequest  → PrepareResponse: render, tokenise, count
 *     POST /generate            GenerateRequest → a line of JSON per GenerateEvent
 *     POST /cancel              CancelRequest   → CancelResponse; the stream ends with its meter
 *     POST /drain               DrainRequest    → HealthResponse: takes no more requests, or again
 *     POST /audit               AuditRequest    → AuditResponse: recomputes cached blocks
 *
 * On TCP every request carries `authorization: Bearer <shared secret>`. An error is a WorkerError
 * with a 4xx or 5xx status. Closing the connection of `/prepare` or `/generate` is a cancel as
 * well. A generate stream is: `token` and `tool_call` events, then `meter`, then `done`; or, when
 * the run breaks, `meter`? and `error`. How a worker is, and what operators ask of it, is in
 * `condition.ts`.
 */
import { z } from 'zod'
import { cacheEvidence, finishReason, latencies } from '../events/account.ts'
import { tokenCount } from '../tokens.ts'

export * from './condition.ts'

export const workerPaths = {
  health: '/health',
  state: '/state',
  prepare: '/prepare',
  generate: '/generate',
  cancel: '/cancel',
  drain: '/drain',
  audit: '/audit',
} as const

const TOOLS_MAX = 512
/** Bounds the tool calls of one turn. */
export const TOOL_CALLS_MAX = 512
/** Bounds the messages of one prompt. */
export const PROMPT_MESSAGES_MAX = 4096
/** Bounds the texts that end one answer, and the characters of each. */
export const STOP_TEXTS_MAX = 16
export const STOP_CHARACTERS_MAX = 256
/** Bounds the alternatives that are reported with one token. */
export const TOP_LOGPROBS_MAX = 20
/** Bytes of one event of an answer, as the line that it is sent as. */
export const EVENT_BYTES_MAX = 256 * 1024
const GRAMMAR_CHARACTERS_MAX = 1024 * 1024
const toolName = z.string().min(1).max(256)

/** A call of a tool that the model made in an earlier turn. */
const toolCall = z.object({
  id: z.string().max(256),
  name: toolName,
  /** The arguments as they were written: JSON text, if the model wrote JSON. */
  arguments: z.string(),
})
export type ToolCall = z.output<typeof toolCall>

/** A turn of the conversation, already reduced to text. `developer` was folded into `system`. */
const promptMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: z.string() }),
  z.object({
    role: z.literal('assistant'),
    /** Is empty when the turn was nothing but tool calls. */
    content: z.string(),
    /** The thoughts of the model before it answered, where the caller sent them back. */
    reasoning: z.string().optional(),
    toolCalls: z.array(toolCall).max(TOOL_CALLS_MAX).optional(),
  }),
  /** The result of the call with this id; calls and results are known to match. */
  z.object({
    role: z.literal('tool'),
    content: z.string(),
    toolCallId: z.string().max(256),
    name: toolName,
  }),
])
export type PromptMessage = z.output<typeof promptMessage>

const toolDefinition = z.object({
  name: toolName,
  description: z.string().optional(),
  /** A JSON Schema of an object. What of it cannot be enforced is left to the model. */
  parameters: z.record(z.string(), z.unknown()),
})
export type ToolDefinition = z.output<typeof toolDefinition>

/** The tools of a request. The model is shown all of them, whichever it may call. */
const toolUse = z.object({
  tools: z.array(toolDefinition).min(1).max(TOOLS_MAX),
  /** A single tool that must be called is `required`, with its name as the only callable one. */
  choice: z.enum(['none', 'auto', 'required']),
  /** Names of the tools that may be called, or null for all. */
  callable: z.array(toolName).nullable(),
  /** Whether one answer may call several. */
  parallel: z.boolean(),
})
export type ToolUse = z.output<typeof toolUse>

/** The format that the text of an answer must have. */
const outputFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  /** The text must be any JSON object. */
  z.object({ type: z.literal('json') }),
  /** JSON that the schema validates; a schema that cannot be enforced is refused. */
  z.object({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) }),
])
export type OutputFormat = z.output<typeof outputFormat>

/** Whether and how much the model may think before it answers. */
const thinking = z.object({
  enabled: z.boolean(),
  /** The level of effort, for models whose template knows levels. */
  effort: z.enum(['low', 'medium', 'high']),
  /** Tokens after which the end of the thinking is forced, or null for none. */
  budgetTokens: z.int().min(0).nullable(),
})
export type Thinking = z.output<typeof thinking>

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

/** Tells how an answer is drawn and cut, as a caller says it. */
export const answerOptions = z.object({
  sampling,
  /**
   * The bias that is added to the logits of tokens before each draw: pairs of token id and bias.
   */
  logitBias: z.array(z.tuple([z.int().min(0), z.number().min(-100).max(100)])).max(1024),
  /**
   * The number of alternatives to report with every token's log probability. Null reports nothing.
   */
  topLogprobs: z.int().min(0).max(TOP_LOGPROBS_MAX).nullable(),
  /** Texts that end the answer and are not part of it. */
  stop: z.array(z.string().min(1).max(STOP_CHARACTERS_MAX)).max(STOP_TEXTS_MAX),
})
export type AnswerOptions = z.output<typeof answerOptions>

export const prepareRequest = z.object({
  /** The tenant whose prompt it is: the names of its blocks depend on it. */
  tenant: z.string().min(1).max(64),
  messages: z.array(promptMessage).min(1).max(PROMPT_MESSAGES_MAX),
  thinking,
  toolUse: toolUse.nullable(),
  outputFormat,
  /**
   * The options as `/generate` will get them: they are refused here, before anything costs. There
   * are none for a mere count.
   */
  ...answerOptions.partial().shape,
})
export type PrepareRequest = z.output<typeof prepareRequest>

/**
 * Says how an answer is to be made and read. `/prepare` makes it for the model at hand, and
 * `/generate` gets it as it is.
 */
const answerPlan = z.object({
  /** GBNF that the answer has to follow, or null. Thinking is never under a grammar. */
  grammar: z.string().max(GRAMMAR_CHARACTERS_MAX).nullable(),
  /**
   * The place from which on the grammar holds: the answer's beginning, or the first sign of a tool
   * call.
   */
  grammarFrom: z.enum(['answer', 'tool_call']),
  /** Tools whose calls are taken out of the text. None: what looks like a call is text. */
  callable: z.array(toolName).max(TOOLS_MAX),
  /** Whether the answer can be nothing but calls, after thinking. */
  mustCall: z.boolean().default(false),
})
export type AnswerPlan = z.output<typeof answerPlan>

/**
 * Checks the whole list at once: a schema for each of its items takes 25 ms for 100,000 of them.
 */
const tokenIds = z.custom<number[]>(
  (value) => Array.isArray(value) && value.every((id) => Number.isSafeInteger(id) && id >= 0),
  'is no list of token ids',
)

export const prepareResponse = z.object({
  /** The rendered prompt. User text is tokenised as text: it never becomes a control token. */
  tokens: tokenIds,
  fingerprint: z.string(),
  contextSize: tokenCount,
  /** The part of the context that is left for the output. 0 or less: the prompt does not fit. */
  maxOutputTokens: z.int(),
  plan: answerPlan,
  /** Names of the prompt's blocks that can be reused, the earliest first; none without a cache. */
  blocks: z.array(z.string()),
})
export type PrepareResponse = z.output<typeof prepareResponse>

export const generateRequest = z.object({
  requestId: z.string().min(1).max(64),
  /** The tenant whose request it is: prefixes are only ever reused within one tenant. */
  tenant: z.string().min(1).max(64),
  /** Turns that the tenant gets, of those that wait, for each turn of one with a weight of 1. */
  weight: z.int().min(1).max(100),
  /** The tokens as `/prepare` gave them, by a worker of the same fingerprint. */
  tokens: tokenIds.refine(({ length }) => length > 0, 'is empty'),
  fingerprint: z.string(),
  thinking,
  plan: answerPlan,
  maxOutputTokens: z.int().min(1),
  ...answerOptions.shape,
  /** Milliseconds after which the worker stops by itself. */
  timeLimitMs: z.int().min(1),
})
export type GenerateRequest = z.output<typeof generateRequest>

/** Twice the longest time that a request may take, in milliseconds. */
const LATENCY_MS_MAX = 2 * 24 * 60 * 60 * 1000

/** The worker's count when a run ends, however it ends. What is billed is made of nothing else. */
export const workerMeter = z.object({
  inputTokens: tokenCount,
  cachedInputTokens: tokenCount,
  outputTokens: tokenCount,
  reasoningTokens: tokenCount,
  /** The id that the worker gives itself; who asked it knows it by a name of its own. */
  workerId: z.string().max(256),
  cache: cacheEvidence.extend({ lastBlockHash: z.string().max(256).nullable() }),
  latencies: latencies.refine(
    (each) => Object.values(each).every((ms) => ms === null || ms <= LATENCY_MS_MAX),
    'is longer than a request can take',
  ),
})
export type WorkerMeter = z.output<typeof workerMeter>

const tokenLogprob = z.object({
  /** The token's text; half a character comes as U+FFFD, its bytes tell. */
  token: z.string(),
  bytes: z.array(z.int().min(0).max(255)).nullable(),
  /** Natural logarithm of the probability that the model itself gave the token. */
  logprob: z.number(),
})

/** A drawn token of the answer's text, with the likeliest alternatives. */
const logprob = tokenLogprob.extend({ top: z.array(tokenLogprob).max(TOP_LOGPROBS_MAX) })
export type Logprob = z.output<typeof logprob>

export const generateEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('token'),
    /** Valid UTF-8, never half a character, never part of a stop text. May be empty. */
    text: z.string().refine((text) => text.isWellFormed(), 'has half a character'),
    /** `arguments` is JSON text that goes on the last `tool_call`. */
    kind: z.enum(['text', 'reasoning', 'arguments']),
    /** Output tokens made so far, this one included. */
    outputTokens: tokenCount,
    /**
     * The log probabilities of the tokens that this text is made of; only where they were asked
     * for.
     */
    logprobs: z.array(logprob).optional(),
  }),
  /** The model begins to call a tool; the arguments follow as tokens. Calls do not interleave. */
  z.object({ type: z.literal('tool_call'), name: toolName, outputTokens: tokenCount }),
  z.object({ type: z.literal('meter'), meter: workerMeter }),
  z.object({
    type: z.literal('done'),
    /** `tool_calls` when the model ended by itself after a call, and never without one. */
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
export const cancelResponse = z.object({ requestId: z.string(), found: z.boolean() })
export type CancelResponse = z.output<typeof cancelResponse>

/**
 * Codes of the `error` of a run that failed by its own grammar, and would fail again: following it
 * takes too long, for which the run is paid all the same; or it leaves no token to go on with.
 */
export const grammarFailures = ['grammar_too_costly', 'grammar_stuck'] as const
export type GrammarFailure = (typeof grammarFailures)[number]

export const workerErrorCodes = [
  /** The request can never be done; the error names the field. */
  'bad_request',
  'unauthorized',
  'prompt_too_long',
  /** The schema of the output format cannot be enforced; the message names the keyword. */
  'unsupported_schema',
  'fingerprint_mismatch',
  /** A request with this id runs already. */
  'already_running',
  'queue_full',
  'draining',
  'not_found',
  'failed',
] as const

/** Comes with `prompt_too_long`: what was counted, and what fits. */
const promptLength = z.object({
  tokens: tokenCount,
  /** Whether there are more: a prompt that is far too long is not counted to its end. */
  isLowerBound: z.boolean(),
  contextSize: tokenCount,
})
export type PromptLength = z.output<typeof promptLength>

export const workerError = z.object({
  error: z.object({
    code: z.enum(workerErrorCodes),
    message: z.string(),
    /** The field of the request that is at fault, where it is one: `logitBias`. */
    field: z.string().max(64).optional(),
    promptLength: promptLength.optional(),
  }),
})
export type WorkerError = z.output<typeof workerError>
export type WorkerErrorCode = (typeof workerErrorCodes)[number]
