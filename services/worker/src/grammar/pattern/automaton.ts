/**
 * Deterministic automata over characters: the texts that patterns, formats and lengths allow
 * together. Every state leads to an end, so a grammar made of one never gets stuck.
 */
import {
  type CharacterSet,
  charactersIn,
  charactersOf,
  complement,
  EVERY_CHARACTER,
  hasCharacter,
  intersection,
} from '../gbnf/characters.ts'
import type { Work } from '../gbnf/work.ts'

const STATES_MAX = 1024
/** An automaton that tells names apart has about as many states as they have characters. */
const NAME_STATES_MAX = 16_384
/** What a state costs, apart from its edges, until it is written. */
const STATE_STEPS = 8

export interface State {
  readonly accepting: boolean
  readonly edges: readonly Edge[]
}

export interface Edge {
  readonly set: CharacterSet
  readonly to: number
}

export class TooManyStates extends Error {}

/** State 0 is the beginning. No states: there is no such text. */
export class Automaton {
  readonly states: readonly State[]

  constructor(states: readonly State[]) {
    this.states = withoutDeadEnds(states)
  }

  get isEmpty(): boolean {
    return this.states.length === 0
  }

  accepts(text: string): boolean {
    let state = this.states[0]
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0
      const edge = state?.edges.find(({ set }) => hasCharacter(set, code))
      if (edge === undefined) return false
      state = this.states[edge.to]
    }
    return state?.accepting ?? false
  }

  /** What looking at all of it costs: its edges, and the ranges of characters on them. */
  get size(): number {
    return this.states.reduce(
      (sum, { edges }) => sum + edges.reduce((ranges, { set }) => ranges + 1 + set.length, 1),
      0,
    )
  }

  /** The texts that both allow. @throws TooManyStates, TooMuchWork */
  and(other: Automaton, work: Work): Automaton {
    if (this.isEmpty || other.isEmpty) return NO_TEXT
    const placeAt = (key: string): Place => {
      const [a, b] = key.split(' ').map(Number)
      const one = this.states[a ?? 0]
      const two = other.states[b ?? 0]
      const targets = (one?.edges ?? []).flatMap((edge) =>
        (two?.edges ?? []).map((match) => {
          work.spend(2 + edge.set.length + match.set.length)
          const set = intersection(edge.set, match.set)
          return { set, to: `${edge.to} ${match.to}` }
        }),
      )
      return { accepting: (one?.accepting && two?.accepting) ?? false, targets }
    }
    return explore('0 0', placeAt, work)
  }

  /**
   * The texts among these whose number of characters is in the range.
   *
   * @throws TooManyStates, TooMuchWork
   */
  ofLength(min: number, max: number | null, work: Work): Automaton {
    work.spend(2 * this.size)
    const shortest = shortestText(this)
    const longest = longestText(this)
    if (shortest >= min && longest <= (max ?? Number.POSITIVE_INFINITY)) return this
    if (min > STATES_MAX || (max ?? 0) > STATES_MAX) throw new TooManyStates()
    return this.and(ofLength(min, max), work)
  }
}

const NO_TEXT = new Automaton([])

/** Any text but these. @throws TooManyStates, TooMuchWork */
export function anyTextBut(texts: readonly string[], work: Work): Automaton {
  const ANYTHING = '-'
  const excluded = new Set(texts)
  const longer = new Map<string, Set<string>>()
  for (const word of texts) {
    let prefix = ''
    for (const character of word) {
      work.spend(1 + prefix.length)
      longer.set(prefix, (longer.get(prefix) ?? new Set()).add(character))
      prefix += character
    }
  }
  const place = (key: string): Place => {
    if (key === ANYTHING) {
      return { accepting: true, targets: [{ set: EVERY_CHARACTER, to: ANYTHING }] }
    }
    const prefix = key.slice(1)
    const following = [...(longer.get(prefix) ?? [])]
    work.spend(1 + prefix.length + 4 * following.length)
    const on = following.map((character) => ({
      set: charactersIn(character),
      to: `+${prefix}${character}`,
    }))
    const off = complement(charactersOf(on.flatMap(({ set }) => set)))
    return { accepting: !excluded.has(prefix), targets: [...on, { set: off, to: ANYTHING }] }
  }
  return explore('+', place, work, NAME_STATES_MAX)
}

function ofLength(min: number, max: number | null): Automaton {
  const last = max ?? min
  const states = Array.from({ length: last + 1 }, (_, length) => {
    const to = length < last ? length + 1 : length
    const goesOn = length < last || max === null
    return { accepting: length >= min, edges: goesOn ? [{ set: EVERY_CHARACTER, to }] : [] }
  })
  return new Automaton(states)
}

/** What a state of an automaton in the making says: where each set of characters leads. */
export interface Place {
  readonly accepting: boolean
  readonly targets: readonly { readonly set: CharacterSet; readonly to: string }[]
}

/**
 * Follows all ways from a place. The sets of one place must not overlap.
 *
 * @throws TooManyStates, TooMuchWork
 */
export function explore(
  start: string,
  placeAt: (key: string) => Place,
  work: Work,
  statesMax = STATES_MAX,
): Automaton {
  const keys = [start]
  const numbers = new Map([[start, 0]])
  const states: State[] = []
  for (let index = 0; index < keys.length; index += 1) {
    const { accepting, targets } = placeAt(keys[index] ?? start)
    work.spend(STATE_STEPS + targets.length)
    const edges = new Map<number, CharacterSet>()
    for (const { set, to } of targets) {
      if (set.length === 0) continue
      const number = numbers.get(to) ?? keys.push(to) - 1
      numbers.set(to, number)
      const joined = [...(edges.get(number) ?? []), ...set]
      work.spend(joined.length)
      edges.set(number, charactersOf(joined))
    }
    if (keys.length > statesMax) throw new TooManyStates()
    states.push({ accepting, edges: [...edges].map(([to, set]) => ({ set, to })) })
  }
  return new Automaton(states)
}

function withoutDeadEnds(states: readonly State[]): readonly State[] {
  const before = states.map((): number[] => [])
  for (const [index, { edges }] of states.entries()) {
    for (const { to } of edges) before[to]?.push(index)
  }
  const open = states.flatMap(({ accepting }, index) => (accepting ? [index] : []))
  const alive = new Set(open)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const index of before[next] ?? []) {
      if (!alive.has(index)) open.push(index)
      alive.add(index)
    }
  }
  if (!alive.has(0)) return []
  const numbers = new Map([...alive].sort((a, b) => a - b).map((old, index) => [old, index]))
  return [...numbers.keys()].map((old) => ({
    accepting: states[old]?.accepting ?? false,
    edges: (states[old]?.edges ?? []).flatMap(({ set, to }) => {
      const number = numbers.get(to)
      return number === undefined ? [] : [{ set, to: number }]
    }),
  }))
}

/** The shortest text's length; infinity where there is none. */
function shortestText({ states }: Automaton): number {
  let reached: readonly number[] = states.length > 0 ? [0] : []
  const seen = new Set(reached)
  for (let length = 0; reached.length > 0; length += 1) {
    if (reached.some((index) => states[index]?.accepting)) return length
    const next = reached.flatMap((index) => states[index]?.edges.map(({ to }) => to) ?? [])
    reached = [...new Set(next)].filter((index) => !seen.has(index))
    for (const index of reached) seen.add(index)
  }
  return Number.POSITIVE_INFINITY
}

/** The longest text's length; infinity where a way goes round, or there is no text. */
function longestText({ states }: Automaton): number {
  const ways = waysTo(states)
  const lengths = new Array<number>(states.length).fill(0)
  // All ways to a state come before it, so that one on a way that goes round never comes.
  const ready = ways.flatMap((count, index) => (count === 0 ? [index] : []))
  for (const index of ready) {
    for (const { to } of states[index]?.edges ?? []) {
      lengths[to] = Math.max(lengths[to] ?? 0, (lengths[index] ?? 0) + 1)
      ways[to] = (ways[to] ?? 0) - 1
      if (ways[to] === 0) ready.push(to)
    }
  }
  if (ready.length < states.length || states.length === 0) return Number.POSITIVE_INFINITY
  return lengths.reduce((most, length) => Math.max(most, length), 0)
}

/** Counts the edges that lead to each state, by the number of the state. */
export function waysTo(states: readonly State[]): number[] {
  const ways = new Array<number>(states.length).fill(0)
  for (const { edges } of states) for (const { to } of edges) ways[to] = (ways[to] ?? 0) + 1
  return ways
}
