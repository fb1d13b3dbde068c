/**
 * Keeps what a client wrote apart from what a chat template writes.
 *
 * A template never sees a text of a client. It renders placeholders, which are unique to the
 * rendering; afterwards the rendering is cut at them and the texts are put in. A text can therefore
 * not steer the template either, with two exceptions that templates rely on: an empty text is shown
 * as such, and where the template trims or JSON-encodes a text, so do we (what became of the white
 * space around the placeholder shows it).
 */

import { withoutLast } from '@svc/contracts/text-end'

/** A conversation that the model's template does not take; the message is for the client. */
export class TemplateRefusal extends Error {
  override readonly name = 'TemplateRefusal'
}

/** A part of a rendered prompt. */
export interface PromptPart {
  readonly origin: 'template' | 'content'
  readonly text: string
}

interface Slot {
  readonly text: string
  /** JSON that stands for itself: where a template encodes it as a string, the quotes go. */
  readonly isJson: boolean
  /** What is missing when the template leaves the text out; null where it may. */
  readonly required: string | null
}

/** White space that a trimming template takes away, and that no template writes by itself. */
const RARE_SPACE = '\u2003'
/** What stands around a placeholder. The newline shows a template that takes only newlines away. */
const MARGIN_BEFORE = `\n${RARE_SPACE}`
const MARGIN_AFTER = `${RARE_SPACE}\n`

interface Encoding {
  readonly before: string
  readonly after: string
  readonly encode: (text: string) => string
}

/** What templates make of strings: JSON, and JSON in ASCII only. */
const encodings: readonly Encoding[] = [
  encoding(jsonInside),
  encoding((text) => inAscii(jsonInside(text))),
]

export class Slots {
  readonly #mark: string
  readonly #slots: Slot[] = []
  readonly #names = new Map<string, string>()

  /** @param mark letters and digits that no template and no client can know */
  constructor(mark: string) {
    this.#mark = mark
  }

  /**
   * @param required what to call the text when the template leaves it out, which is then refused;
   *   null when it may be left out
   * @returns what to show the template in the text's place
   */
  text(text: string, required: string | null): string {
    return text === '' ? '' : this.#add({ text, isJson: false, required })
  }

  /**
   * Does what {@link text} does for JSON, which stays as it is where the template encodes its
   * values.
   */
  json(text: string, required: string | null): string {
    return this.#add({ text, isJson: true, required })
  }

  /** Equal names get equal placeholders, so that a template can look one up in a list. */
  name(name: string): string {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    const placeholder = this.text(name, null)
    this.#names.set(name, placeholder)
    return placeholder
  }

  /**
   * Cuts a rendering at its placeholders and puts the texts in.
   *
   * @throws TemplateRefusal when a required text is missing from the rendering
   */
  fill(rendered: string): PromptPart[] {
    const pieces = rendered.split(new RegExp(`${this.#mark}x(\\d+)x${this.#mark}`))
    const parts: PromptPart[] = []
    const seen = new Set<number>()
    let before = pieces[0] ?? ''
    for (let at = 1; at < pieces.length; at += 2) {
      const index = Number(pieces[at])
      const slot = this.#slots[index]
      if (slot === undefined) throw new Error('a placeholder is of another rendering')
      seen.add(index)
      const fitted = fit(slot, before, pieces[at + 1] ?? '')
      parts.push({ origin: 'template', text: fitted.before })
      parts.push({ origin: 'content', text: fitted.content })
      before = fitted.after
    }
    parts.push({ origin: 'template', text: before })
    this.#refuseMissing(seen)
    return parts.filter((part) => part.text !== '')
  }

  #add(slot: Slot): string {
    const index = this.#slots.push(slot) - 1
    return `${MARGIN_BEFORE}${this.#mark}x${index}x${this.#mark}${MARGIN_AFTER}`
  }

  #refuseMissing(seen: ReadonlySet<number>): void {
    this.#slots.forEach(({ required }, index) => {
      if (required !== null && !seen.has(index)) {
        throw new TemplateRefusal(`the model's chat template leaves out ${required}`)
      }
    })
  }
}

interface Fitted {
  readonly before: string
  readonly content: string
  readonly after: string
}

/** Does to the text what the template did to its margins, and takes the margins away. */
function fit(slot: Slot, before: string, after: string): Fitted {
  for (const each of encodings) {
    if (before.endsWith(each.before) && after.startsWith(each.after)) {
      const inside = {
        before: before.slice(0, -each.before.length),
        after: after.slice(each.after.length),
      }
      if (slot.isJson && inside.before.endsWith('"') && inside.after.startsWith('"')) {
        return {
          before: inside.before.slice(0, -1),
          content: slot.text,
          after: inside.after.slice(1),
        }
      }
      return { ...inside, content: each.encode(slot.text) }
    }
  }
  const start = fitStart(slot.text, before)
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
    return { content: withoutLast(content, '\n'), after: after.slice(1) }
  }
  return { content: content.trimEnd(), after }
}

function encoding(encode: (text: string) => string): Encoding {
  return { before: encode(MARGIN_BEFORE), after: encode(MARGIN_AFTER), encode }
}

function jsonInside(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function inAscii(json: string): string {
  return json.replace(
    /[\x7f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
