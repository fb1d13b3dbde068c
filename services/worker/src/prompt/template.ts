/**
 * Renders a conversation with the model's own chat template (Jinja, from the GGUF) and tokenises
 * it so that nothing in a message can become a control token: no message ends its own turn or
 * opens another one in the system's name.
 *
 * The template never sees a content. It renders placeholders, which are unique to the rendering;
 * the text around them is tokenised with control tokens, the contents without. A content can
 * therefore not steer the template either, with two exceptions that templates rely on: an empty
 * content is rendered as such, and where the template trims or JSON-encodes a content, so do we
 * (white space around the placeholder shows it).
 */
import { Template } from '@huggingface/jinja'
import type { PromptMessage } from '@svc/contracts/worker-protocol'
import type { Vocabulary } from '../engine/engine.ts'

/** A conversation that the model's template does not take; the message is for the client. */
export class TemplateRefusal extends Error {
  override readonly name = 'TemplateRefusal'
}

export interface PromptRenderer {
  /**
   * @returns the prompt's tokens
   * @throws TemplateRefusal when the template refuses or leaves out a message
   */
  render(messages: readonly PromptMessage[], thinking: boolean): number[]
}

/** A part of a rendered prompt. */
export interface PromptPart {
  readonly origin: 'template' | 'content'
  readonly text: string
}

/** White space that a trimming template takes away, and that no template writes by itself. */
const RARE_SPACE = '\u2003'
/** What stands around a placeholder. The newline shows a template that takes only newlines away. */
const MARGIN_BEFORE = `\n${RARE_SPACE}`
const MARGIN_AFTER = `${RARE_SPACE}\n`
const ESCAPED_MARGIN_BEFORE = `\\n${RARE_SPACE}`
const ESCAPED_MARGIN_AFTER = `${RARE_SPACE}\\n`
const REFUSAL_CHARACTERS_MAX = 200

/**
 * @param nonce makes a text of letters and digits that no template and no client can know
 * @throws Error when the template cannot be parsed
 */
export function promptRenderer(
  chatTemplate: string,
  vocabulary: Vocabulary,
  nonce: () => string,
): PromptRenderer {
  const template = new Template(chatTemplate)
  const variables = {
    add_generation_prompt: true,
    bos_token: vocabulary.beginOfTextString,
    eos_token: vocabulary.endOfTextString,
  }
  return {
    render(messages, thinking) {
      const mark = nonce()
      const placeholders = messages.map((message, index) => ({
        role: message.role,
        content: message.content === '' ? '' : placeholder(mark, index),
      }))
      const switches = { enable_thinking: thinking, thinking }
      const text = renderOrRefuse(template, { messages: placeholders, ...variables, ...switches })
      return tokenise(splitParts(text, mark, messages), vocabulary)
    },
  }
}

function renderOrRefuse(template: Template, variables: Record<string, unknown>): string {
  try {
    return template.render(variables)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const line = (reason.split('\n')[0] ?? '').slice(0, REFUSAL_CHARACTERS_MAX)
    throw new TemplateRefusal(`the model's chat template refuses these messages: ${line}`)
  }
}

function placeholder(mark: string, index: number): string {
  return `${MARGIN_BEFORE}${mark}x${index}x${mark}${MARGIN_AFTER}`
}

/**
 * Cuts a rendering at its placeholders and puts the contents in.
 *
 * @throws TemplateRefusal when a content is missing from the rendering
 */
export function splitParts(
  rendered: string,
  mark: string,
  messages: readonly PromptMessage[],
): PromptPart[] {
  const pieces = rendered.split(new RegExp(`${mark}x(\\d+)x${mark}`))
  const parts: PromptPart[] = []
  const seen = new Set<number>()
  let before = pieces[0] ?? ''
  for (let at = 1; at < pieces.length; at += 2) {
    const index = Number(pieces[at])
    seen.add(index)
    const fitted = fit(messages[index]?.content ?? '', before, pieces[at + 1] ?? '')
    parts.push({ origin: 'template', text: fitted.before })
    parts.push({ origin: 'content', text: fitted.content })
    before = fitted.after
  }
  parts.push({ origin: 'template', text: before })
  messages.forEach((message, index) => {
    if (message.content !== '' && !seen.has(index)) {
      throw new TemplateRefusal(
        `the model's chat template leaves out message ${index} (role ${message.role})`,
      )
    }
  })
  return parts.filter((part) => part.text !== '')
}

/** Does to the content what the template did to its margins, and takes the margins away. */
function fit(
  content: string,
  before: string,
  after: string,
): { before: string; content: string; after: string } {
  if (before.endsWith(ESCAPED_MARGIN_BEFORE) && after.startsWith(ESCAPED_MARGIN_AFTER)) {
    return {
      before: before.slice(0, -ESCAPED_MARGIN_BEFORE.length),
      content: JSON.stringify(content).slice(1, -1),
      after: after.slice(ESCAPED_MARGIN_AFTER.length),
    }
  }
  const start = fitStart(content, before)
  const end = fitEnd(start.content, after)
  return { before: start.before, content: end.content, after: end.after }
}

function fitStart(content: string, before: string): { content: string; before: string } {
  if (before.endsWith(MARGIN_BEFORE)) {
    return { content, before: before.slice(0, -MARGIN_BEFORE.length) }
  }
  if (before.endsWith(RARE_SPACE)) {
    return { content: content.replace(/^\n+/, ''), before: before.slice(0, -1) }
  }
  return { content: content.trimStart(), before }
}

function fitEnd(content: string, after: string): { content: string; after: string } {
  if (after.startsWith(MARGIN_AFTER)) return { content, after: after.slice(MARGIN_AFTER.length) }
  if (after.startsWith(RARE_SPACE)) {
    return { content: content.replace(/\n+$/, ''), after: after.slice(1) }
  }
  return { content: content.trimEnd(), after }
}

function tokenise(parts: readonly PromptPart[], vocabulary: Vocabulary): number[] {
  const tokens: number[] = []
  for (const part of parts) {
    const special = part.origin === 'template'
    for (const token of vocabulary.tokenize(part.text, special, tokens.length > 0)) {
      tokens.push(token)
    }
  }
  const { beginOfText } = vocabulary
  return beginOfText === null || tokens[0] === beginOfText ? tokens : [beginOfText, ...tokens]
}
