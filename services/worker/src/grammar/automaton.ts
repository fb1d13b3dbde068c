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
} from './characters.ts'

const STATES_MAX = 1024
/** What is told apart by names has about as many states as the names have characters. */
const NAME_STATES_MAX = 16_384

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

  /** The texts that both allow. @throws TooManyStates */
  and(other: Automaton): Automaton {
    if (this.isEmpty || other.isEmpty) return NO_TEXT
    return explore('0 0', (key) => {
      const [a, b] = key.split(' ').map(Number)
      const one = this.states[a ?? 0]
      const two = other.states[b ?? 0]
      const targets = (one?.edges ?? []).flatMap((edge) =>
        (two?.edges ?? []).map((match) => ({
          set: intersection(edge.set, match.set),
          to: `${edge.to} ${match.to}`,
        })),
      )
      return { accepting: (one?.accepting && two?.accepting) ?? false, targets }
    })
  }

  /** The texts among these whose number of characters is in the range. @throws TooManyStates */
  ofLength(min: number, max: number | null): Automaton {
    const shortest = lengths(this, Math.min)
    const longest = lengths(this, Math.max)
    if (shortest >= min && longest <= (max ?? Number.POSITIVE_INFINITY)) return this
    if (min > STATES_MAX || (max ?? 0) > STATES_MAX) throw new TooManyStates()
    return this.and(ofLength(min, max))
  }
}

const NO_TEXT = new Automaton([])

/** Any text but these. */
export function anyTextBut(texts: readonly string[]): Automaton {
  const ANYTHING = '-'
  const longer = new Map<string, Set<string>>()
  for (const word of texts) {
    let prefix = ''
    for (const character of word) {
      longer.set(prefix, (longer.get(prefix) ?? new Set()).add(character))
      prefix += character
    }
  }
  const place = (key: string): Place => {
    if (key === ANYTHING) {
      return { accepting: true, targets: [{ set: EVERY_CHARACTER, to: ANYTHING }] }
    }
    const prefix = key.slice(1)
    const on = [...(longer.get(prefix) ?? [])].map((character) => ({
      set: charactersIn(character),
      to: `+${prefix}${character}`,
    }))
    const off = complement(charactersOf(on.flatMap(({ set }) => set)))
    return { accepting: !texts.includes(prefix), targets: [...on, { set: off, to: ANYTHING }] }
  }
  return explore('+', place, NAME_STATES_MAX)
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
 * @throws TooManyStates
 */
export function explore(
  start: string,
  placeAt: (key: string) => Place,
  statesMax = STATES_MAX,
): Automaton {
  const keys = [start]
  const numbers = new Map([[start, 0]])
  const states: State[] = []
  for (let index = 0; index < keys.length; index += 1) {
    const { accepting, targets } = placeAt(keys[index] ?? start)
    const edges = new Map<number, CharacterSet>()
    for (const { set, to } of targets) {
      if (set.length === 0) continue
      const number = numbers.get(to) ?? keys.push(to) - 1
      numbers.set(to, number)
      edges.set(number, charactersOf([...(edges.get(number) ?? []), ...set]))
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

/** The shortest or the longest text's length; for a longest one infinity where a way goes round. */
function lengths({ states }: Automaton, pick: (...numbers: number[]) => number): number {
  const worst = pick(0, 1) === 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  let best: readonly number[] = states.map(({ accepting }) => (accepting ? 0 : worst))
  for (let pass = 0; pass <= states.length; pass += 1) {
    const next = states.map(({ accepting, edges }) =>
      pick(accepting ? 0 : worst, ...edges.map(({ to }) => 1 + (best[to] ?? worst))),
    )
    if (next.every((length, index) => length === best[index])) return best[0] ?? worst
    best = next
  }
  return Number.POSITIVE_INFINITY
}
