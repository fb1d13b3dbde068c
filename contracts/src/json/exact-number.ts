/**
 * JSON for programs that must tell 1234567890123456789 from its neighbours. A number that no
 * JavaScript number equals is an object that holds it as it was written.
 */

import { withoutLast } from '../text/text-end.ts'

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

const parse: (text: string, reviver: Reviver) => unknown = JSON.parse
// TypeScript's library does not know it yet.
const { rawJSON } = JSON as JSON & { rawJSON(text: string): object }

export class ExactNumber {
  readonly #text: string

  /** @param text a number as JSON writes it */
  constructor(text: string) {
    this.#text = text
  }

  get text(): string {
    return this.#text
  }

  get isWhole(): boolean {
    return !exactValue(this).includes('e-')
  }

  /** The JavaScript number that is next to it; infinite beyond all of them. */
  get nearest(): number {
    return Number(this.#text)
  }

  toJSON(): object {
    return rawJSON(this.#text)
  }
}

/** A number of more than 15 digits, or with an exponent; or a text that looks like one. */
const LONG_NUMBER = /(?:^|[:,[])\s*-?(?:[\d.]{16}|[\d.]+e)/i

/** Whether the JSON may have a number that JavaScript cannot hold. */
export function mayHoldLongNumber(json: string): boolean {
  return LONG_NUMBER.test(json)
}

/**
 * Parses as `JSON.parse` does. It is asked with every prompt, most of which have no such number:
 * for those it is as quick.
 *
 * @throws {SyntaxError | RangeError} nested too deeply
 */
export function parsedExactly(text: string): unknown {
  if (!mayHoldLongNumber(text)) return JSON.parse(text)
  return parse(text, (_key, value, { source } = {}) => {
    if (typeof value !== 'number' || source === undefined) return value
    if (source === String(value)) return value
    const written = new ExactNumber(source)
    return exactValue(written) === exactValue(value) ? value : written
  })
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i

/** Equal for equal numbers, however they are written: digits, and a power of ten. */
export function exactValue(number: number | ExactNumber): string {
  const text = typeof number === 'number' ? String(number) : number.text
  const parts = NUMBER.exec(text)
  if (parts === null) return text
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const digits = whole + fraction
  const kept = withoutLast(digits, '0')
  if (kept === '') return '0e0'
  const zeros = digits.length - kept.length
  return `${sign}${kept.replace(/^0+/, '')}e${Number(exponent) - fraction.length + zeros}`
}
