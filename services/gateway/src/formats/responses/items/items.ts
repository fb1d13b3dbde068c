/**
 * The items of a conversation, as clients send them and as this service keeps and returns them.
 * What a schema does not name is left away.
 */
import type { Logprob } from '@svc/contracts/worker/protocol'
import { z } from 'zod'
import { PARTS_MAX } from '../../conversation-bounds.ts'

const name = z.string().min(1).max(128)
const namespace = z.string().min(1).max(120).nullish()
const callIdText = z.string().min(1).max(256)
const status = z.enum(['in_progress', 'completed', 'incomplete']).nullish()

/**
 * A part of any type. Those that are read are selected where they are read. Some clients name the
 * fields of the other types too, as null.
 */
const part = z.object({
  type: z.string().max(64),
  text: z.string().nullish(),
  refusal: z.string().nullish(),
})
export type ContentPart = z.output<typeof part>
const parts = z.array(part).max(PARTS_MAX)
const textOrParts = z.union([z.string(), parts])

/** What tells the kind of an item that does not say it. */
export const untypedItem = z.object({ role: z.unknown().optional(), id: z.unknown().optional() })

export const referenceItem = z.object({ id: z.string().max(256) })

export const messageItem = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant']),
  content: textOrParts,
  status,
  phase: z.enum(['commentary', 'final_answer']).nullish().catch(null),
})

export const reasoningItem = z.object({
  summary: parts.nullish(),
  content: parts.nullish(),
  encrypted_content: z.string().nullish(),
})

export const functionCallItem = z.object({
  call_id: callIdText,
  name,
  namespace,
  arguments: z.string(),
  status,
})

export const customCallItem = z.object({
  call_id: callIdText,
  name,
  namespace,
  input: z.string(),
  status,
})

export const callOutputItem = z.object({ call_id: callIdText, output: textOrParts })

export const compactionItem = z.object({ encrypted_content: z.string() })

interface InputText {
  readonly type: 'input_text'
  readonly text: string
}
export interface OutputText {
  readonly type: 'output_text'
  readonly text: string
  readonly annotations: readonly []
  readonly logprobs: readonly ShownLogprob[]
}
interface Refusal {
  readonly type: 'refusal'
  readonly refusal: string
}
interface SummaryText {
  readonly type: 'summary_text'
  readonly text: string
}
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

interface Identified {
  readonly id: string
}
interface InputMessage extends Identified {
  readonly type: 'message'
  readonly role: 'system' | 'developer' | 'user'
  readonly status: ItemStatus
  readonly content: readonly InputText[]
}
interface OutputMessage extends Identified {
  readonly type: 'message'
  readonly role: 'assistant'
  readonly status: ItemStatus
  readonly content: readonly (OutputText | Refusal)[]
  readonly phase?: 'commentary' | 'final_answer'
}
interface ReasoningText {
  readonly type: 'reasoning_text'
  readonly text: string
}
export interface ReasoningItem extends Identified {
  readonly type: 'reasoning'
  readonly summary: readonly SummaryText[]
  /** The thoughts themselves. Left away unless they were asked for, as is the next field. */
  readonly content?: readonly ReasoningText[]
  /** Some clients take no null. */
  readonly encrypted_content?: string
}
interface FunctionCall extends Identified {
  readonly type: 'function_call'
  readonly call_id: string
  readonly name: string
  readonly namespace?: string
  readonly arguments: string
  readonly status: ItemStatus
}
interface CustomCall extends Identified {
  readonly type: 'custom_tool_call'
  readonly call_id: string
  readonly name: string
  readonly namespace?: string
  readonly input: string
  readonly status: ItemStatus
}
interface CallOutput extends Identified {
  readonly type: 'function_call_output' | 'custom_tool_call_output'
  readonly call_id: string
  readonly output: string
  readonly status: ItemStatus
}
interface AdditionalTools extends Identified {
  readonly type: 'additional_tools'
  readonly role: 'developer'
  readonly tools: readonly unknown[]
}
export interface Compaction extends Identified {
  readonly type: 'compaction'
  readonly encrypted_content: string
}

/** An item that an answer is made of. */
export type OutputItem = OutputMessage | ReasoningItem | FunctionCall | CustomCall | Compaction
export type Item = InputMessage | OutputItem | CallOutput | AdditionalTools

/** Each item once, where it stands first. */
export function distinctItems(items: readonly Item[]): readonly Item[] {
  const seen = new Set<string>()
  return items.filter(({ id }) => {
    const isFirst = !seen.has(id)
    seen.add(id)
    return isFirst
  })
}

/** Shows log probabilities as the format has them, with bytes in every case. */
export function shownLogprobs(logprobs: readonly Logprob[]) {
  return logprobs.map(({ token, logprob, bytes, top }) => ({
    token,
    logprob,
    bytes: bytes ?? [],
    top_logprobs: top.map((each) => ({ ...each, bytes: each.bytes ?? [] })),
  }))
}
type ShownLogprob = ReturnType<typeof shownLogprobs>[number]
