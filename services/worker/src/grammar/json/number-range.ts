/** Numbers between two bounds, as decimal text with a bounded number of digits. */
import { charactersOf } from '../gbnf/characters.ts'
import {
  characters,
  choice,
  type Expression,
  named,
  optional,
  sequence,
  text,
} from '../gbnf/expression.ts'
import { repeated } from '../gbnf/repetition.ts'
import { anyInteger, anyNumber, digit } from './json-text.ts'

/** A range with both of its ends. An infinite end is no bound. */
export interface NumberRange {
  readonly min: number
  readonly max: number
  readonly integer: boolean
}

/** Digits before the point: up to here every integer is a number of its own. */
const WHOLE_DIGITS_MAX = 15
const FRACTION_DIGITS_MAX = 15
export const MAGNITUDE_MAX = 10 ** WHOLE_DIGITS_MAX - 1

/**
 * Every decimal text between the texts of the two bounds: reading decimals as floating-point
 * numbers keeps their order, so that what is read lies between the bounds as well.
 */
export function numberBetween(range: NumberRange): Expression {
  const { min, max, integer } = integerRange(range)
  if (min === Number.NEGATIVE_INFINITY && max === Number.POSITIVE_INFINITY) {
    return integer ? anyInteger : anyNumber
  }
  if (min > max) return choice()
  // Ranges have no beginnings to be brought together with others, and may be met again.
  return named('number', within(min, max, integer), `number ${min} ${max} ${integer}`)
}

function within(min: number, max: number, integer: boolean): Expression {
  const positive = max < 0 ? choice() : magnitudes(Math.max(min, 0), max, integer)
  const smallest = Math.max(-max, integer ? 1 : 0)
  const negative = min >= 0 ? choice() : magnitudes(smallest, -min, integer)
  return choice(positive, min < 0 ? sequence(text('-'), negative) : negative)
}

/** The next number above (or below, for a direction of -1) in floating point. */
export function neighbour(value: number, direction: 1 | -1): number {
  if (value === 0) return direction * Number.MIN_VALUE
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const away = value > 0 === direction > 0
  view.setBigInt64(0, view.getBigInt64(0) + (away ? 1n : -1n))
  return view.getFloat64(0)
}

function integerRange({ min, max, integer }: NumberRange): NumberRange {
  return integer ? { min: Math.ceil(min), max: Math.floor(max), integer } : { min, max, integer }
}

interface Decimal {
  readonly whole: string
  readonly fraction: string
}

/** The largest number that the notation allows, which stands in for a missing bound. */
const LARGEST: Decimal = {
  whole: '9'.repeat(WHOLE_DIGITS_MAX),
  fraction: '9'.repeat(FRACTION_DIGITS_MAX),
}

/** @param low 0 or above */
function magnitudes(low: number, high: number, integer: boolean): Expression {
  if (low > MAGNITUDE_MAX || low > high) return choice()
  const most = high > MAGNITUDE_MAX ? LARGEST : decimal(high)
  return new DecimalRange(decimal(low), most, integer).expression()
}

/** The shortest decimal text that is read as this number, without an exponent. */
function decimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const digits = mantissa.replace('.', '')
  const point = Number(exponent) + 1
  if (point <= 0) return { whole: '0', fraction: '0'.repeat(-point) + digits }
  return { whole: digits.slice(0, point).padEnd(point, '0'), fraction: digits.slice(point) }
}

/** All digits of a bound that are still to come; null: it is met whatever comes. */
type Rest = string | null

/** Follows the digits of both bounds, as long as what was written is the beginning of one. */
class DecimalRange {
  readonly #low: Decimal
  readonly #high: Decimal
  readonly #fractionDigits: number

  constructor(low: Decimal, high: Decimal, integer: boolean) {
    this.#low = low
    this.#high = high
    this.#fractionDigits = integer ? 0 : FRACTION_DIGITS_MAX
  }

  expression(): Expression {
    const [fewest, most] = [this.#low.whole.length, this.#high.whole.length]
    const bound: Expression[] = []
    const free: number[] = []
    for (let length = fewest; length <= most; length += 1) {
      const low = length === fewest ? this.#low.whole + this.#low.fraction : null
      const high = length === most ? this.#high.whole + this.#high.fraction : null
      const [least, greatest] = [this.#atLeast(low), this.#atMost(high, length)]
      if (least === null && greatest === null) free.push(length)
      else bound.push(this.#from(0, length, least, greatest))
    }
    return choice(...bound, this.#free(free))
  }

  /** Whole parts of these lengths, which are neighbours, with whatever digits. */
  #free(lengths: readonly number[]): Expression {
    const more = lengths.filter((length) => length > 1)
    const [fewest, most] = [more[0], more.at(-1)]
    const tail = this.#tail()
    const zero = lengths.includes(1)
      ? sequence(more.length > 0 ? text('0') : digit, tail)
      : choice()
    if (fewest === undefined || most === undefined) return zero
    const least = lengths.includes(1) ? 0 : fewest - 1
    return choice(zero, sequence(digitFrom(1, 9), repeated(digit, least, most - 1), tail))
  }

  /** Writes the digits from this position on; `length` digits stand before the point. */
  #from(position: number, length: number, low: Rest, high: Rest): Expression {
    const [least, greatest] = [this.#atLeast(low), this.#atMost(high, length - position)]
    if (position < length) {
      if (least === null && greatest === null && position > 0) {
        return sequence(repeated(digit, length - position, length - position), this.#tail())
      }
      return this.#digit(position, length, least, greatest)
    }
    const end = least === null ? text('') : choice()
    const left = this.#fractionDigits + length - position
    if (position > length) {
      if (least === null && greatest === null) return repeated(digit, 0, left)
      return choice(left > 0 ? this.#digit(position, length, least, greatest) : choice(), end)
    }
    if (left === 0) return end
    if (least === null && greatest === null) return this.#tail()
    return choice(sequence(text('.'), this.#digit(position, length, least, greatest)), end)
  }

  /** One digit between those of the bounds, and what may follow each. */
  #digit(position: number, length: number, low: Rest, high: Rest): Expression {
    const smallest = position === 0 && length > 1 ? '1' : '0'
    const from = Number(low?.[0] ?? smallest)
    const to = Number(high === null ? '9' : (high[0] ?? '0'))
    const then = (digits: Expression, least: Rest, greatest: Rest): Expression => {
      return sequence(digits, this.#from(position + 1, length, least, greatest))
    }
    const rest = (bound: Rest): Rest => (bound === null ? null : bound.slice(1))
    if (from > to) return choice()
    if (from === to) {
      return then(digitFrom(from, from), rest(low), rest(high))
    }
    const [inner, outer] = [low === null ? from : from + 1, high === null ? to : to - 1]
    return choice(
      low === null ? choice() : then(digitFrom(from, from), rest(low), null),
      inner <= outer ? then(digitFrom(inner, outer), null, null) : choice(),
      high === null ? choice() : then(digitFrom(to, to), null, rest(high)),
    )
  }

  /**
   * Drops the lower bound when nothing but zeros are left of it: whatever comes is not below it.
   */
  #atLeast(low: Rest): Rest {
    return low !== null && /[1-9]/.test(low) ? low : null
  }

  /**
   * Drops the upper bound when nothing but nines are left of it, for as many digits as may come.
   */
  #atMost(high: Rest, wholeDigits: number): Rest {
    if (high === null) return null
    const digits = Math.max(0, wholeDigits + this.#fractionDigits)
    return /^9*$/.test(high.padEnd(digits, '0').slice(0, digits)) ? null : high
  }

  /** What follows a whole part that is certainly between the bounds. */
  #tail(): Expression {
    if (this.#fractionDigits === 0) return text('')
    return optional(sequence(text('.'), repeated(digit, 1, this.#fractionDigits)))
  }
}

function digitFrom(first: number, last: number): Expression {
  return first === last
    ? text(String(first))
    : characters(charactersOf([[0x30 + first, 0x30 + last]]))
}
