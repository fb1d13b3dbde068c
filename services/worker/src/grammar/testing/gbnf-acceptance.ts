/** Whether a text follows a grammar: by following all ways through it at once. */
import { type Grammar, type Part, parseGrammar } from './gbnf-parser.ts'

/** What is still to be matched, innermost first. Equal ones are one object. */
interface Stack {
  readonly part: Part
  readonly below: Stack | null
}

export class GbnfAcceptance {
  readonly #rules: Grammar
  readonly #stacks = new Map<Part, Map<Stack | null, Stack>>()
  readonly #rests = new Map<Part, Part>()

  constructor(text: string) {
    this.#rules = parseGrammar(text)
  }

  accepts(text: string): boolean {
    return [...this.#along(text)].at(-1)?.has(null) ?? false
  }

  /** The most stacks that llama.cpp holds at once while it follows a text. */
  stacksAlong(text: string): number {
    return Math.max(...[...this.#along(text)].map((stacks) => stacks.size))
  }

  /** The stacks before the first character, and after each. */
  *#along(text: string): Generator<ReadonlySet<Stack | null>> {
    let stacks = this.#open([this.#push({ kind: 'rule', name: 'root' }, null)])
    yield stacks
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0
      const matching = [...stacks].filter((stack) => stack !== null && matches(stack.part, code))
      stacks = this.#open(matching.map((stack) => stack?.below ?? null))
      yield stacks
    }
  }

  /** The stacks with a character on top, and null where the grammar has ended. */
  #open(stacks: readonly (Stack | null)[]): ReadonlySet<Stack | null> {
    const seen = new Set<Stack | null>()
    const todo = [...stacks]
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      if (seen.has(next)) continue
      seen.add(next)
      if (next !== null) todo.push(...this.#opened(next))
    }
    return new Set([...seen].filter((stack) => stack === null || stack.part.kind === 'characters'))
  }

  #opened({ part, below }: Stack): readonly (Stack | null)[] {
    switch (part.kind) {
      case 'characters':
        return []
      case 'rule': {
        const body = this.#rules.get(part.name)
        return body === undefined ? [] : [this.#push(body, below)]
      }
      case 'choice':
        return part.options.map((option) => this.#push(option, below))
      case 'sequence':
        return [part.parts.reduceRight<Stack | null>((on, each) => this.#push(each, on), below)]
      case 'repeat': {
        const end = part.min === 0 ? [below] : []
        const rest = part.max === 1 ? below : this.#push(this.#rest(part), below)
        return part.max === 0 ? end : [...end, this.#push(part.item, rest)]
      }
    }
  }

  /** A repetition after one item of it. */
  #rest(part: Part & { kind: 'repeat' }): Part {
    if (part.min === 0 && part.max === Number.POSITIVE_INFINITY) return part
    const known = this.#rests.get(part)
    if (known !== undefined) return known
    const rest: Part = { ...part, min: Math.max(0, part.min - 1), max: part.max - 1 }
    this.#rests.set(part, rest)
    return rest
  }

  #push(part: Part, below: Stack | null): Stack {
    const onPart = this.#stacks.get(part) ?? new Map<Stack | null, Stack>()
    this.#stacks.set(part, onPart)
    const stack = onPart.get(below) ?? { part, below }
    onPart.set(below, stack)
    return stack
  }
}

function matches(part: Part, code: number): boolean {
  if (part.kind !== 'characters') return false
  return part.negated !== part.ranges.some(([first, last]) => first <= code && code <= last)
}
