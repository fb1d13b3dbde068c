/** Whether a text follows a grammar: by following all ways through it at once. */
import { type Grammar, type Part, parseGrammar } from './gbnf-parser.ts'

/** What is still to be matched, innermost first. Equal ones are one object. */
interface Stack {
  readonly part: Part
  readonly below: Stack | null
}

const ROOT: Part = { kind: 'rule', name: 'root' }
/** Of the characters that may come next, how many are looked at to find one that widens. */
const CHARACTERS_TRIED = 3

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

  /**
   * The most stacks that are held along a text that is made up on the way, of characters after
   * which there are many.
   *
   * @param characters how long the text becomes at most
   */
  mostStacks(random: () => number, characters: number): { stacks: number; text: string } {
    let [stacks, text] = [this.#begun(), '']
    let most = { stacks: stacks.size, text }
    for (let step = 0; step < characters; step += 1) {
      const edges = edgesOf(stacks)
      if (edges.length === 0) break
      const tried = Array.from({ length: CHARACTERS_TRIED }, () => {
        const code = edges[Math.floor(random() * edges.length)] ?? 0
        return { code, after: this.#after(stacks, code) }
      })
      const [widest] = tried.sort((a, b) => b.after.size - a.after.size)
      if (widest === undefined) break
      stacks = widest.after
      text += String.fromCodePoint(widest.code)
      if (stacks.size > most.stacks) most = { stacks: stacks.size, text }
    }
    return most
  }

  /** The stacks before the first character, and after each. */
  *#along(text: string): Generator<ReadonlySet<Stack | null>> {
    let stacks = this.#begun()
    yield stacks
    for (const character of text) {
      stacks = this.#after(stacks, character.codePointAt(0) ?? 0)
      yield stacks
    }
  }

  #begun(): ReadonlySet<Stack | null> {
    return this.#open([this.#push(ROOT, null)])
  }

  #after(stacks: ReadonlySet<Stack | null>, code: number): ReadonlySet<Stack | null> {
    const matching = [...stacks].filter((stack) => stack !== null && matches(stack.part, code))
    return this.#open(matching.map((stack) => stack?.below ?? null))
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

/** The first and the last character of every range that a stack waits for. */
function edgesOf(stacks: ReadonlySet<Stack | null>): readonly number[] {
  return [...stacks].flatMap((stack) => {
    if (stack?.part.kind !== 'characters' || stack.part.negated) return []
    return stack.part.ranges.flat()
  })
}
