/** Tool calls that are JSON objects: `{"name": …, "arguments": {…}}`, in any order of members. */
import { isJsonObject } from '../conversation/json-text.ts'
import { type Head, NO_CALL, whiteSpaceLength } from './call-syntax.ts'
import { JsonScanner } from './json-scanner.ts'

const nameKeys = new Set(['name', 'function'])
const argumentsKeys = new Set(['arguments', 'parameters'])
/** Members that models add and that say nothing. */
const otherKeys = new Set(['type', 'id'])
/** What has more is no call: with each of its tokens all members before are read again. */
const MEMBERS_MAX = 16

/** A value within a text: where it ends; or that its end is not there yet; or that it is none. */
type Span = number | 'more' | null

interface Call {
  name: string | null
  arguments: string | null
  members: number
}

type Entry =
  | { readonly kind: 'member'; readonly key: string; readonly valueAt: number }
  /** The brace that closes the object. */
  | { readonly kind: 'close'; readonly at: number }

/**
 * Reads up to the arguments; when they come before the name, up to the end of the object.
 *
 * @param text begins with white space or the object
 */
export function jsonHead(text: string, callable: ReadonlySet<string>): Head {
  const call: Call = { name: null, arguments: null, members: 0 }
  const open = whiteSpaceLength(text)
  if (open === text.length) return moreOf(call)
  if (text[open] !== '{') return NO_CALL
  let read: number | Head = open + 1
  while (typeof read === 'number') read = readEntry(call, text, read, callable)
  return read
}

/** @returns where the next entry begins, or what the head has turned out to be */
function readEntry(
  call: Call,
  text: string,
  at: number,
  callable: ReadonlySet<string>,
): number | Head {
  const entry = entryAt(text, at)
  if (entry === 'more') return moreOf(call)
  if (entry === null) return NO_CALL
  if (entry.kind === 'close') return completeCall(call, entry.at)
  call.members += 1
  if (call.members > MEMBERS_MAX) return NO_CALL
  if (beginsArguments(call, entry, text)) {
    return { kind: 'call', name: call.name, arguments: null, end: entry.valueAt }
  }
  const valueEnd = valueEndAt(text, entry.valueAt)
  if (valueEnd === 'more') return moreOf(call)
  if (valueEnd === null) return NO_CALL
  const json = text.slice(entry.valueAt, valueEnd)
  return takeMember(call, entry.key, json, callable) ? valueEnd : NO_CALL
}

/**
 * Skips what follows the arguments, up to the end of the object.
 *
 * @returns where the object ends; null when this is no end of an object
 */
export function jsonObjectEnd(text: string): Span {
  let at = 0
  while (true) {
    at += whiteSpaceLength(text, at)
    if (at === text.length) return 'more'
    if (text[at] !== ',' && text[at] !== '}') return null
    const entry = entryAt(text, at)
    if (entry === 'more' || entry === null) return entry
    if (entry.kind === 'close') return entry.at + 1
    const valueEnd = valueEndAt(text, entry.valueAt)
    if (valueEnd === 'more' || valueEnd === null) return valueEnd
    at = valueEnd
  }
}

function moreOf(call: Call): Head {
  return { kind: 'more', certain: call.name !== null }
}

function completeCall({ name, arguments: text }: Call, end: number): Head {
  return name === null ? NO_CALL : { kind: 'call', name, arguments: text ?? '{}', end }
}

/** Whether the arguments begin here as an object, and the name is known. */
function beginsArguments(
  call: Call,
  { key, valueAt }: Extract<Entry, { kind: 'member' }>,
  text: string,
): call is Call & { name: string } {
  return call.name !== null && argumentsKeys.has(key) && text[valueAt] === '{'
}

/** @returns whether the member has a place in a call */
function takeMember(call: Call, key: string, json: string, callable: ReadonlySet<string>): boolean {
  if (nameKeys.has(key)) {
    const name = stringOf(json)
    if (name === null || !callable.has(name)) return false
    call.name = name
    return true
  }
  if (!argumentsKeys.has(key)) return otherKeys.has(key)
  const text = json === 'null' ? '{}' : (stringOf(json) ?? json)
  if (!isJsonObject(text)) return false
  call.arguments = text
  return true
}

/** @returns the next member with the beginning of its value, or the end of the object */
function entryAt(text: string, from: number): Entry | 'more' | null {
  const at = from + (/^[\s,]*/.exec(text.slice(from))?.[0].length ?? 0)
  if (at === text.length) return 'more'
  if (text[at] === '}') return { kind: 'close', at }
  if (text[at] !== '"') return null
  const keyEnd = valueEndAt(text, at)
  if (keyEnd === 'more' || keyEnd === null) return keyEnd
  const key = stringOf(text.slice(at, keyEnd))
  const colon = keyEnd + whiteSpaceLength(text, keyEnd)
  if (colon === text.length) return 'more'
  if (key === null || text[colon] !== ':') return null
  const valueAt = colon + 1 + whiteSpaceLength(text, colon + 1)
  return valueAt === text.length ? 'more' : { kind: 'member', key, valueAt }
}

function valueEndAt(text: string, at: number): Span {
  const rest = text.slice(at)
  if (/^[{["]/.test(rest)) {
    const { length, ended } = new JsonScanner().scan(rest)
    return ended ? at + length : 'more'
  }
  const word = /^[-+.\w]+/.exec(rest)?.[0] ?? ''
  if (word === '') return null
  return word.length === rest.length ? 'more' : at + word.length
}

function stringOf(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}
