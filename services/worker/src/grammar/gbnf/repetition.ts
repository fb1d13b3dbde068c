/**
 * Something many times. The parser of llama.cpp writes `x{0,n}` out as n rules, gives up on large
 * numbers, and takes away a maximum above 2,000 without a word. So large numbers are counted in
 * blocks of blocks, which needs as many rules as the number has digits, sixteen times.
 */
import {
  choice,
  type Expression,
  NOTHING,
  named,
  Rule,
  reference,
  sequence,
  settledChoice,
} from './expression.ts'

/** For at most this many repetitions the plain notation is as good. */
const PLAIN_MAX = 128
/**
 * What can hold itself is written out further: within blocks the parser keeps several readings of
 * one text, and each level of nesting multiplies them.
 */
export const PLAIN_MAX_NESTED = 1_000
const BLOCK_ITEMS = 16

/** @param max null: without an end */
export function repeated(
  item: Expression,
  min: number,
  max: number | null,
  plainMax = PLAIN_MAX,
): Expression {
  if (max !== null && max < min) return choice()
  const single = item.kind === 'rule' || item.kind === 'characters'
  return new Repetition(single ? item : named('item', item), plainMax).between(min, max)
}

class Repetition {
  readonly #item: Expression
  readonly #plainMax: number
  readonly #blocks = new Map<number, Expression>()
  readonly #known = new Map<number, Expression>()

  constructor(item: Expression, plainMax: number) {
    this.#item = item
    this.#plainMax = plainMax
  }

  between(min: number, max: number | null): Expression {
    const plainMax = this.#plainMax
    if (min <= plainMax && (max === null || max <= plainMax)) return this.#plain(min, max)
    if (max === null) return sequence(this.#exactly(min), this.#plain(0, null))
    const more = this.#upTo(max - min)
    const rule = new Rule('counted', sequence(this.#exactly(min), more))
    rule.counted = { item: this.#item, readings: readingsOf(max - min, plainMax) }
    return reference(rule)
  }

  #plain(min: number, max: number | null): Expression {
    return max === 0 ? NOTHING : { kind: 'repeat', item: this.#item, min, max }
  }

  #exactly(count: number): Expression {
    if (count <= this.#plainMax) return this.#plain(count, count)
    const size = blockSize(count)
    const full = Math.floor(count / size)
    const blocks: Expression = { kind: 'repeat', item: this.#block(size), min: full, max: full }
    return sequence(blocks, this.#exactly(count - full * size))
  }

  /** Every number of items has one way through: full blocks first, then less than a block. */
  #upTo(count: number): Expression {
    if (count <= this.#plainMax) return this.#plain(0, count)
    const known = this.#known.get(count)
    if (known !== undefined) return known
    const size = blockSize(count)
    const full = Math.floor(count / size)
    const less = named('up-to', this.#upTo(size - 1))
    let rest = this.#upTo(count - full * size)
    for (let block = 0; block < full; block += 1) {
      const body = settledChoice(sequence(this.#block(size), rest), less)
      rest = reference(new Rule('blocks', body))
    }
    // What is left of blocks is often one less than a block: without this the rules would double.
    this.#known.set(count, rest)
    return rest
  }

  /** Exactly as many items as a power of the block's size. */
  #block(size: number): Expression {
    const known = this.#blocks.get(size)
    if (known !== undefined) return known
    const inner = size === BLOCK_ITEMS ? this.#item : this.#block(size / BLOCK_ITEMS)
    const body: Expression = { kind: 'repeat', item: inner, min: BLOCK_ITEMS, max: BLOCK_ITEMS }
    const block = named('block', body)
    this.#blocks.set(size, block)
    return block
  }
}

/**
 * How many readings of one text there are at once, at most: a block that may become full, or less
 * than that, on each level of blocks.
 */
function readingsOf(count: number, plainMax: number): number {
  let readings = 1
  for (let left = count; left > plainMax; left = blockSize(left) - 1) readings += 1
  return readings
}

/** The largest power of the block's size that is not above the count. */
function blockSize(count: number): number {
  let size = BLOCK_ITEMS
  while (size * BLOCK_ITEMS <= count) size *= BLOCK_ITEMS
  return size
}
