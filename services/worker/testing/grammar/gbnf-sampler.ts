/** Draws texts that follow a grammar: what a model may write under it, however bad it is. */
import { type Grammar, type Part, parseGrammar } from './gbnf-parser.ts'

/** Repetitions without an end are ended about here. */
const REPEATS = 4

/** A number from 0 up to, and without, 1. */
export type Random = () => number

/** Says how deep the shortest way to an end is from everywhere, and takes it when it gets late. */
export class GbnfSampler {
  readonly #rules: Grammar
  readonly #heights = new Map<string, number>()

  /** @throws Error when the grammar cannot be read, or leads to places without an end */
  constructor(text: string) {
    this.#rules = parseGrammar(text)
    for (let changed = true; changed; ) {
      changed = false
      for (const [name, part] of [...this.#rules].reverse()) {
        const height = 1 + this.#height(part)
        changed ||= height !== this.#heights.get(name)
        this.#heights.set(name, height)
      }
    }
    const endless = [...this.#heights].filter(([, height]) => !Number.isFinite(height))
    if (endless.length > 0) throw new Error(`no way to an end: ${endless.map(([name]) => name)}`)
  }

  /** @param size about how deep the derivation goes before it hurries */
  draw(random: Random, size: number): string {
    return this.#draw({ kind: 'rule', name: 'root' }, random, size)
  }

  #draw(part: Part, random: Random, left: number): string {
    switch (part.kind) {
      case 'characters':
        return drawCharacter(part, random)
      case 'rule':
        return this.#draw(this.#rule(part.name), random, left - 1)
      case 'sequence':
        return part.parts.map((each) => this.#draw(each, random, left)).join('')
      case 'choice':
        return this.#draw(this.#option(part.options, random, left), random, left)
      case 'repeat': {
        const extra = left <= 0 ? 0 : Math.floor(random() * (REPEATS + 1))
        const longest = left > 0 && random() < 0.1 ? Math.min(part.max, part.min + 200) : 0
        const count = Math.max(Math.min(part.max, part.min + extra), longest)
        const items = Array.from({ length: count }, () => this.#draw(part.item, random, left - 1))
        return items.join('')
      }
    }
  }

  #option(options: readonly Part[], random: Random, left: number): Part {
    const heights = options.map((option) => this.#height(option))
    const lowest = Math.min(...heights)
    const possible = options.filter((_, index) => (heights[index] ?? 0) <= Math.max(left, lowest))
    const option = possible[Math.floor(random() * possible.length)]
    if (option === undefined) throw new Error('a choice without options')
    return option
  }

  #height(part: Part): number {
    switch (part.kind) {
      case 'characters':
        return part.ranges.length === 0 ? Number.POSITIVE_INFINITY : 0
      case 'rule':
        return this.#heights.get(part.name) ?? Number.POSITIVE_INFINITY
      case 'sequence':
        return Math.max(0, ...part.parts.map((each) => this.#height(each)))
      case 'choice':
        return Math.min(...part.options.map((each) => this.#height(each)))
      case 'repeat':
        return part.min === 0 ? 0 : this.#height(part.item)
    }
  }

  #rule(name: string): Part {
    const part = this.#rules.get(name)
    if (part === undefined) throw new Error(`no rule ${name}`)
    return part
  }
}

/** The ends of ranges are drawn often, because there mistakes are. */
function drawCharacter(part: Part & { kind: 'characters' }, random: Random): string {
  if (part.negated) throw new Error('a negated class lets everything through, half characters too')
  const [first, last] = part.ranges[Math.floor(random() * part.ranges.length)] ?? [0, 0]
  const place = random()
  if (place < 0.15) return String.fromCodePoint(first)
  if (place > 0.85) return String.fromCodePoint(last)
  return String.fromCodePoint(first + Math.floor(random() * (last - first + 1)))
}
