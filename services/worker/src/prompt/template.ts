/**
 * Renders a conversation with the model's own chat template (Jinja, from the GGUF) and tokenises
 * it so that nothing a client wrote can become a control token: no message ends its own turn or
 * opens another one in the system's name, and no tool's description does.
 *
 * The template sees placeholders instead of texts (`slots.ts`); the tokeniser looks for control
 * tokens in the template's own text only (`prompt-tokens.ts`).
 */
import { Environment, Interpreter, Template } from '@huggingface/jinja'
import { messageOf } from '@svc/contracts/error-message'
import { atOnce, type Slices } from '@svc/infra/turns/slices'
import type { Vocabulary } from '../engines/engine.ts'
import { plainerMessages } from './conversation/plainer-messages.ts'
import { type PromptPart, Slots, TemplateRefusal } from './conversation/slots.ts'
import type { Conversation, Family, TemplateInput } from './families/family.ts'
import { type PromptBounds, refuseFarTooLong } from './prompt-length.ts'
import { PromptTokeniser } from './prompt-tokens.ts'
import { structuralTokens } from './structural-tokens.ts'
import { formatDay } from './template-date.ts'

export { TemplateRefusal } from './conversation/slots.ts'

export interface PromptRenderer {
  /**
   * @param bounds with them, a far longer prompt is not tokenised
   * @returns the prompt's tokens
   * @throws TemplateRefusal when the template refuses or leaves out a message
   * @throws PromptTooLong when the prompt is far too long
   */
  slices(conversation: Conversation, bounds?: PromptBounds): Slices<number[]>
  /** Does the same without a wait. */
  render(conversation: Conversation, bounds?: PromptBounds): number[]
}

export interface RendererParts {
  readonly chatTemplate: string
  readonly vocabulary: Vocabulary
  readonly family: Family
  /** Makes a text of letters and digits that no template and no client can know. */
  readonly nonce: () => string
  /** Some templates tell the model the date (of which only the day counts, in UTC). */
  readonly today: () => Date
}

const REFUSAL_CHARACTERS_MAX = 200
/** Numbers that a template may count through; a longer range is a mistake. */
const RANGE_MAX = 100_000

/** @throws Error when the template cannot be parsed */
export function promptRenderer(parts: RendererParts): PromptRenderer {
  const template = new Template(parts.chatTemplate)
  const { vocabulary, chatTemplate, family } = parts
  const structural = structuralTokens(vocabulary, chatTemplate, family)
  const tokeniser = new PromptTokeniser(vocabulary, structural)
  const slices: PromptRenderer['slices'] = function* (conversation, bounds) {
    const rendered = renderParts(template, parts, conversation)
    const texts = rendered.map(({ text }) => text)
    if (bounds !== undefined) yield* refuseFarTooLong(texts, bounds, vocabulary)
    return yield* tokeniser.tokenise(rendered)
  }
  return { slices, render: (conversation, bounds) => atOnce(slices(conversation, bounds)) }
}

/**
 * Whether the tools of a request reach the model. A template may leave them out silently; then the
 * model has to be served as one of the generic family.
 */
export function toolsChangeThePrompt(renderer: PromptRenderer): boolean {
  const messages = [{ role: 'user', content: 'What time is it?' }] as const
  const thinking = { enabled: false, effort: 'medium' } as const
  const parameters = { type: 'object', properties: { zone: { type: 'string' } } }
  const tool = { name: 'get_time', description: 'Tells the time.', parameters }
  try {
    const plain = renderer.render({ messages, tools: [], thinking })
    const withTool = renderer.render({ messages, tools: [tool], thinking })
    return withTool.length > plain.length
  } catch (error) {
    if (error instanceof TemplateRefusal) return false
    throw error
  }
}

function renderParts(
  template: Template,
  { family, vocabulary, nonce, today }: RendererParts,
  { messages, tools, thinking }: Conversation,
): PromptPart[] {
  const slots = new Slots(nonce())
  const input = family.toTemplate({ messages, tools, thinking }, slots)
  const variables = {
    ...languageOf(today()),
    bos_token: vocabulary.beginOfTextString,
    eos_token: vocabulary.endOfTextString,
    enable_thinking: thinking.enabled,
    thinking: thinking.enabled,
  }
  const effort = { reasoning_effort: thinking.enabled ? thinking.effort : 'low' }
  const plainer = { messages: plainerMessages(input.messages), tools: input.tools ?? [] }
  const text = firstRendering(template, [
    { ...variables, ...variablesOf(input), ...effort },
    { ...variables, ...plainer },
  ])
  return slots.fill(text + (thinking.enabled ? '' : family.withoutThinking))
}

/** What a template knows apart from the conversation: Jinja's own names, and the day. */
function languageOf(day: Date): Record<string, unknown> {
  return {
    true: true,
    false: false,
    none: null,
    True: true,
    False: false,
    None: null,
    range,
    raise_exception: (message: unknown) => {
      throw new Error(String(message))
    },
    strftime_now: (format: unknown) => formatDay(day, String(format)),
    date_string: formatDay(day, '%d %b %Y'),
    datetime: formatDay(day, '%b %d %Y'),
    add_generation_prompt: true,
  }
}

function variablesOf({ messages, tools }: TemplateInput): Record<string, unknown> {
  return tools === null ? { messages } : { messages, tools }
}

function range(start: unknown, stop?: unknown, step: unknown = 1): number[] {
  const [from, to] = stop === undefined ? [0, Number(start)] : [Number(start), Number(stop)]
  const count = Math.ceil((to - from) / Number(step))
  if (!(count < RANGE_MAX)) throw new Error('a range is too long')
  return Array.from({ length: Math.max(0, count) }, (_, index) => from + index * Number(step))
}

/** @throws TemplateRefusal with the first refusal, which speaks of what the client sent */
function firstRendering(template: Template, attempts: readonly Record<string, unknown>[]): string {
  let refusal: TemplateRefusal | null = null
  for (const variables of attempts) {
    try {
      const environment = new Environment()
      for (const [name, value] of Object.entries(variables)) environment.set(name, value)
      return String(new Interpreter(environment).run(template.parsed).value)
    } catch (error) {
      refusal ??= refusalFor(error)
    }
  }
  throw refusal ?? new Error('there is nothing to render')
}

function refusalFor(error: unknown): TemplateRefusal {
  const reason = messageOf(error)
  const line = (reason.split('\n')[0] ?? '').slice(0, REFUSAL_CHARACTERS_MAX)
  return new TemplateRefusal(`the model's chat template refuses these messages: ${line}`)
}
