/**
 * Reads JSON that others wrote, and refuses what `JSON.parse` would let through although readers
 * disagree about it: duplicate keys (which one counts?), `__proto__`, half a surrogate pair,
 * numbers that become Infinity, nesting that later breaks a recursive walk.
 *
 * One pass over the text, without recursion: the time is linear in the size of the text. The scan
 * does not check the grammar, `JSON.parse` does; on text that is no JSON the scan only has to end.
 */
import { ServiceError } from '../errors.ts'
import { parsedWithDigits } from './written-digits.ts'

/** A JSON object as it came, scanned and parsed, not yet looked into. */
export type JsonObject = { readonly [name: string]: unknown }

export interface JsonLimits {
  readonly depth: number
  /** Keys of all objects together. */
  readonly keys: number
  /** Items of one array. */
  readonly items: number
  /** Items of all arrays together: each can be wrong, and a schema notes each that is. */
  readonly allItems: number
}

const defaultLimits: JsonLimits = { depth: 32, keys: 10_000, items: 10_000, allItems: 50_000 }

const BYTE_ORDER_MARK = '\ufeff'
const NUMBER_CHARACTERS_MAX = 64
/** A key has quotes, a colon and a value. */
const LEAST_KEY_CHARACTERS = 4
/** A number of up to this many characters cannot overflow without an exponent. */
const PLAIN_NUMBER_CHARACTERS = 15

/**
 * @param text the whole document. A byte order mark in front, as editors on Windows write it into
 *   files, says nothing that readers could disagree about: it is left out.
 * @param source what the text is, as the error names it: "the body of your request"
 * @param limits in place of the usual ones
 * @throws {ServiceError} `invalid_json`
 */
export function strictJsonObject(
  text: string,
  source: string,
  limits: Partial<JsonLimits> = {},
): JsonObject {
  try {
    const document = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
    return checked(document, { ...defaultLimits, ...limits })
  } catch (cause) {
    if (!(cause instanceof Refused)) throw cause
    throw new ServiceError('invalid_json', `We could not parse ${source}: ${cause.message}.`)
  }
}

function checked(text: string, limits: JsonLimits): JsonObject {
  // Noting keys costs five times as much as counting them, so too many are not even noted.
  if (text.length > limits.keys * LEAST_KEY_CHARACTERS) new Scan(text, limits).run('count')
  const scan = new Scan(text, limits)
  scan.run('check')
  const value = parsed(text, scan.hasOtherDigits ? parsedWithDigits : JSON.parse)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refused('it must be a JSON object')
  }
  return value as JsonObject
}

interface Level {
  /** Keys so far; undefined in an array. */
  readonly keys: Set<string> | undefined
  /** The key whose value comes now. */
  key: string
  items: number
}

class Scan {
  readonly #text: string
  readonly #limits: JsonLimits
  readonly #levels: Level[] = []
  #keys = 0
  #items = 0
  #notesKeys = true
  /** Whether a number in it would be written with other digits than it was. */
  hasOtherDigits = false
  /** The next backslash at or behind the place where the scan stands. */
  #backslash: number

  constructor(text: string, limits: JsonLimits) {
    this.#text = text
    this.#limits = limits
    this.#backslash = this.#nextBackslash(0)
  }

  /** @param what whether keys are looked at, or only counted */
  run(what: 'count' | 'check'): void {
    this.#notesKeys = what === 'check'
    const text = this.#text
    let at = 0
    while (at < text.length) {
      const character = text.charCodeAt(at)
      if (character === QUOTE) at = this.#string(at)
      else if (character === OPEN_OBJECT || character === OPEN_ARRAY) {
        this.#open(character === OPEN_OBJECT)
        at += 1
      } else if (character === CLOSE_OBJECT || character === CLOSE_ARRAY) {
        this.#levels.pop()
        at += 1
      } else if (character === COMMA) {
        this.#item()
        at += 1
      } else if (character === MINUS || isDigit(character)) at = this.#number(at)
      else at += 1
    }
  }

  #open(isObject: boolean): void {
    const { depth } = this.#limits
    if (this.#levels.length >= depth) {
      throw new Refused(`it is nested more than ${depth} levels deep`)
    }
    if (!isObject) this.#countItem()
    this.#levels.push({ keys: isObject ? new Set() : undefined, key: '', items: 1 })
  }

  #item(): void {
    const level = this.#levels.at(-1)
    if (level === undefined || level.keys !== undefined) return
    this.#countItem()
    level.items += 1
    if (level.items > this.#limits.items) {
      throw new Refused(`an array in it has more than ${this.#limits.items} items`)
    }
  }

  /** An array counts as one item, also when it is empty. */
  #countItem(): void {
    const { allItems } = this.#limits
    this.#items += 1
    if (this.#items > allItems) {
      throw new Refused(`its arrays have more than ${allItems} items together`)
    }
  }

  /** @returns the place behind the closing quote */
  #string(start: number): number {
    const end = this.#closingQuote(start + 1)
    if (end < 0) return this.#text.length
    const escaped = this.#backslash < end
    if (escaped) this.#backslash = this.#nextBackslash(end)
    if (!this.#notesKeys) {
      if (this.#isKey(end + 1)) this.#countKey()
      return end + 1
    }
    const raw = this.#text.slice(start, end + 1)
    const value = escaped && raw.includes('\\u') ? decoded(raw) : raw.slice(1, -1)
    if (escaped && !value.isWellFormed()) throw new Refused('a string holds half a surrogate pair')
    if (this.#isKey(end + 1)) this.#key(escaped ? decoded(raw) : value)
    return end + 1
  }

  /**
   * A run of backslashes is looked at once per quote that it precedes, so the scan stays linear.
   */
  #closingQuote(from: number): number {
    let quote = this.#text.indexOf('"', from)
    while (quote >= 0 && this.#backslash < quote && this.#isEscaped(quote, from)) {
      quote = this.#text.indexOf('"', quote + 1)
    }
    return quote
  }

  #isEscaped(quote: number, from: number): boolean {
    let start = quote
    while (start > from && this.#text.charCodeAt(start - 1) === BACKSLASH) start -= 1
    return (quote - start) % 2 === 1
  }

  #nextBackslash(from: number): number {
    const at = this.#text.indexOf('\\', from)
    return at < 0 ? Number.POSITIVE_INFINITY : at
  }

  #isKey(from: number): boolean {
    if (this.#levels.at(-1)?.keys === undefined) return false
    let at = from
    while (isSpace(this.#text.charCodeAt(at))) at += 1
    return this.#text.charCodeAt(at) === COLON
  }

  #key(key: string): void {
    const level = this.#levels.at(-1)
    if (level?.keys === undefined) return
    this.#countKey()
    if (level.keys.has(key))
      throw new Refused(`the key ${JSON.stringify(shown(key))} is there twice`)
    const parent = this.#levels.at(-2)
    if (key === '__proto__' || (key === 'prototype' && parent?.key === 'constructor')) {
      throw new Refused(`the key "${key}" is not allowed`)
    }
    level.keys.add(key)
    level.key = key
  }

  #countKey(): void {
    this.#keys += 1
    if (this.#keys > this.#limits.keys) {
      throw new Refused(`it has more than ${this.#limits.keys} keys`)
    }
  }

  #number(start: number): number {
    let at = start + 1
    while (at < this.#text.length && isNumberCharacter(this.#text.charCodeAt(at))) at += 1
    const length = at - start
    if (length > NUMBER_CHARACTERS_MAX) throw new Refused('it holds a number that is too long')
    if (length > PLAIN_NUMBER_CHARACTERS || this.#hasExponent(start, at)) {
      const written = this.#text.slice(start, at)
      const value = Number(written)
      if (String(value) !== written) this.hasOtherDigits = true
      if (Math.abs(value) === Number.POSITIVE_INFINITY) {
        throw new Refused('it holds a number that is too large')
      }
    }
    return at
  }

  #hasExponent(start: number, end: number): boolean {
    for (let at = start; at < end; at += 1) {
      const character = this.#text.charCodeAt(at)
      if (character === 0x65 || character === 0x45) return true
    }
    return false
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const MINUS = 0x2d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const SHOWN_CHARACTERS = 64

function isDigit(character: number): boolean {
  return character >= 0x30 && character <= 0x39
}

function isSpace(character: number): boolean {
  return character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09
}

/** Digits, `+`, `-`, `.`, `e` and `E`: what a number is made of behind its first character. */
function isNumberCharacter(character: number): boolean {
  return (
    isDigit(character) ||
    character === 0x2b ||
    character === MINUS ||
    character === 0x2e ||
    character === 0x65 ||
    character === 0x45
  )
}

function decoded(raw: string): string {
  return parsed(raw) as string
}

function parsed(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text)
  } catch {
    throw new Refused('it is not valid JSON')
  }
}

function shown(key: string): string {
  return key.length > SHOWN_CHARACTERS ? `${key.slice(0, SHOWN_CHARACTERS)}…` : key
}

/** Says what is wrong with the text, of which it speaks as "it". */
class Refused extends Error {}
