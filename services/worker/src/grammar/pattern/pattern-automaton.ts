/**
 * Makes an automaton of the texts in which a pattern is found. A pattern is a search: without
 * anchors any text may stand around what it matches.
 */
import { type CharacterSet, EVERY_CHARACTER } from '../gbnf/characters.ts'
import type { Work } from '../gbnf/work.ts'
import { type Automaton, explore, type Place, TooManyStates } from './automaton.ts'
import type { Pattern } from './regular-expression.ts'

/** Steps that a pattern may have when its repetitions are written out. */
const STEPS_MAX = 4096

/** One step of the machine that may be at many steps at once. */
interface Step {
  /** What is read here, and where that leads; null: nothing is read. */
  read: { readonly set: CharacterSet; readonly to: number } | null
  /** The steps that can be reached from here without reading. */
  readonly free: { readonly to: number; readonly only: 'start' | 'end' | null }[]
}

/** @throws TooManyStates, TooMuchWork */
export function patternAutomaton(pattern: Pattern, work: Work): Automaton {
  return new Machine(pattern, work).automaton()
}

class Machine {
  readonly #steps: Step[] = []
  readonly #start: number
  readonly #found: number
  readonly #work: Work

  constructor(pattern: Pattern, work: Work) {
    this.#work = work
    this.#start = this.#add()
    this.#loop(this.#start)
    this.#found = this.#build(pattern, this.#start)
    // What is searched from must not be what is found: the first may still be anchored.
    this.#loop(this.#found)
  }

  automaton(): Automaton {
    const start = this.#key(this.#closure([this.#start], true))
    return explore(start, (key) => this.#place(key), this.#work)
  }

  /** Adds the steps of a pattern. @returns the step after it */
  #build(pattern: Pattern, from: number): number {
    switch (pattern.kind) {
      case 'characters':
        return this.#read(from, pattern.set)
      case 'sequence':
        return pattern.parts.reduce((step, part) => this.#build(part, step), this.#after(from))
      case 'choice': {
        const end = this.#add()
        for (const option of pattern.options) {
          this.#go(this.#build(option, this.#after(from)), end)
        }
        return end
      }
      case 'repeat':
        return this.#repeat(pattern, from)
      default:
        return this.#after(from, pattern.kind)
    }
  }

  #repeat({ item, min, max }: Pattern & { kind: 'repeat' }, from: number): number {
    let step = this.#after(from)
    for (let count = 0; count < min; count += 1) step = this.#build(item, step)
    const end = this.#add()
    if (max === null) {
      const again = this.#after(step)
      this.#go(this.#build(item, again), again)
      this.#go(again, end)
      return end
    }
    for (let count = min; count < max; count += 1) {
      this.#go(step, end)
      step = this.#build(item, step)
    }
    this.#go(step, end)
    return end
  }

  #read(from: number, set: CharacterSet): number {
    const at = this.#after(from)
    const to = this.#add()
    const step = this.#steps[at]
    if (step !== undefined) step.read = { set, to }
    return to
  }

  #loop(at: number): void {
    const to = this.#read(at, EVERY_CHARACTER)
    this.#go(to, at)
  }

  #after(from: number, only: 'start' | 'end' | null = null): number {
    const to = this.#add()
    this.#steps[from]?.free.push({ to, only })
    return to
  }

  #go(from: number, to: number): void {
    this.#steps[from]?.free.push({ to, only: null })
  }

  #add(): number {
    if (this.#steps.length >= STEPS_MAX) throw new TooManyStates()
    this.#work.spend(1)
    return this.#steps.push({ read: null, free: [] }) - 1
  }

  /**
   * All steps that are reached without reading. One behind the end of the text is told apart by a
   * negative number, because from there nothing may be read any more.
   */
  #closure(from: readonly number[], atStart: boolean): ReadonlySet<number> {
    const reached = new Set(from)
    const open = [...from]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const targets = this.#freelyAfter(next, atStart)
      this.#work.spend(2 + targets.length)
      for (const target of targets) {
        if (!reached.has(target)) open.push(target)
        reached.add(target)
      }
    }
    return reached
  }

  #freelyAfter(step: number, atStart: boolean): readonly number[] {
    const ended = step < 0
    const ways = this.#steps[ended ? ~step : step]?.free ?? []
    return ways
      .filter(({ only }) => only !== 'start' || atStart)
      .map(({ to, only }) => (ended || only === 'end' ? ~to : to))
  }

  /** Names a set of steps. Once the pattern is found, nothing that comes later matters. */
  #key(reached: ReadonlySet<number>): string {
    if (reached.has(this.#found)) return 'found'
    const telling = [...reached].filter(
      (step) => step === ~this.#found || (step >= 0 && this.#steps[step]?.read),
    )
    return telling.sort((a, b) => a - b).join(' ')
  }

  #place(key: string): Place {
    if (key === 'found') {
      return { accepting: true, targets: [{ set: EVERY_CHARACTER, to: 'found' }] }
    }
    const at = key === '' ? [] : key.split(' ').map(Number)
    const reads = at.flatMap((step) => (step < 0 ? [] : (this.#steps[step]?.read ?? [])))
    const ranges = reads.reduce((sum, { set }) => sum + set.length, 0)
    const bounds = new Set(reads.flatMap(({ set }) => set.flatMap(([a, b]) => [a, b + 1])))
    const sorted = [...bounds].sort((a, b) => a - b)
    this.#work.spend(key.length + sorted.length * (reads.length + ranges))
    const targets = sorted.flatMap((first, index) => {
      const last = (sorted[index + 1] ?? first + 1) - 1
      const to = reads.filter(({ set }) => set.some(([a, b]) => a <= first && last <= b))
      if (to.length === 0) return []
      const reached = this.#closure([...new Set(to.map((read) => read.to))], false)
      return [{ set: [[first, last]] as const, to: this.#key(reached) }]
    })
    return { accepting: at.includes(~this.#found), targets }
  }
}
