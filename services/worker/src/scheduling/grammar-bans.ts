/**
 * Tokens that must not be drawn while a grammar holds, because the runtime takes them for
 * characters that they are not:
 *
 * - It takes a control token for the text of its name. Inside a JSON string one would count as some
 *   characters, and then be missing from the text that comes out.
 * - It puts a character together from tokens without asking for valid UTF-8: E0 90 BE passes for
 *   the character D0 BE, and comes out as no character at all. Which byte may follow then depends
 *   on the one before.
 */
import type { Vocabulary } from '../engines/engine.ts'

const REPLACEMENT = '\uFFFD'
const CONTINUATION_FIRST = 0x80
const CONTINUATION_LAST = 0xbf
const LEAD_FIRST = 0xc2
const LEAD_LAST = 0xf4
const CHARACTER_BYTES_MAX = 4

/** What the second byte may be after these first ones; after all others, any continuation. */
const secondBytes: ReadonlyMap<number, readonly [first: number, last: number]> = new Map([
  [0xe0, [0xa0, CONTINUATION_LAST]],
  [0xed, [CONTINUATION_FIRST, 0x9f]],
  [0xf0, [0x90, CONTINUATION_LAST]],
  [0xf4, [CONTINUATION_FIRST, 0x8f]],
])

export class GrammarBans {
  readonly #always: readonly number[]
  /** Bans by the first byte of a character that has only begun. */
  readonly #after: ReadonlyMap<number, readonly number[]>

  /** @param markers texts of control tokens that are read, and that grammars name */
  constructor(vocabulary: Vocabulary, markers: readonly string[]) {
    const always: number[] = []
    const continuing: { readonly token: number; readonly first: number }[] = []
    for (let token = 0; token < vocabulary.size; token += 1) {
      const bytes = brokenBytes(vocabulary, token)
      if (isSilent(vocabulary, token, markers) || !isPartOfText(bytes)) always.push(token)
      else if (bytes[0] !== undefined && isContinuation(bytes[0])) {
        continuing.push({ token, first: bytes[0] })
      }
    }
    const after = [...secondBytes].map(([lead, [first, last]]) => {
      const wrong = continuing.filter((each) => each.first < first || each.first > last)
      return [lead, [...always, ...wrong.map(({ token }) => token)]] as const
    })
    this.#always = always
    this.#after = new Map(after)
  }

  /** @param unfinished bytes of the character that the last tokens have begun */
  after(unfinished: readonly number[]): readonly number[] {
    const [lead] = unfinished
    if (lead === undefined || unfinished.length > 1) return this.#always
    return this.#after.get(lead) ?? this.#always
  }
}

/** The bytes at the end that are only the beginning of a character. */
export function unfinishedCharacter(bytes: readonly number[]): readonly number[] {
  const tail = bytes.slice(1 - CHARACTER_BYTES_MAX)
  const lead = tail.findLastIndex((byte) => byte >= LEAD_FIRST)
  const begun = lead === -1 ? [] : tail.slice(lead)
  return begun[0] !== undefined && begun.length < lengthFrom(begun[0]) ? begun : []
}

/** A token that neither is read nor ends the answer, and of which nothing is seen. */
function isSilent(vocabulary: Vocabulary, token: number, markers: readonly string[]): boolean {
  const text = vocabulary.controlText(token)
  return text !== '' && !markers.includes(text) && !vocabulary.isEndOfGeneration(token)
}

/** The bytes of a token that is not made of whole characters, as far as they are known. */
function brokenBytes(vocabulary: Vocabulary, token: number): readonly number[] {
  const isWhole = !vocabulary.detokenize([token], []).includes(REPLACEMENT)
  return isWhole ? [] : (vocabulary.bytes(token) ?? [])
}

/** Whether the bytes can be a part of valid UTF-8, also from or to the middle of a character. */
function isPartOfText(bytes: readonly number[]): boolean {
  let at = bytes.findIndex((byte) => !isContinuation(byte))
  if (at === -1) return bytes.length < CHARACTER_BYTES_MAX
  if (at >= CHARACTER_BYTES_MAX) return false
  while (at < bytes.length) {
    const length = characterLength(bytes.slice(at, at + CHARACTER_BYTES_MAX))
    if (length === null) return false
    at += length
  }
  return true
}

/** @returns how long the character is that the bytes begin with, or null when they begin none */
function characterLength(bytes: readonly number[]): number | null {
  const [lead = 0, second, ...more] = bytes
  if (lead < CONTINUATION_FIRST) return 1
  if (lead < LEAD_FIRST || lead > LEAD_LAST) return null
  const [first, last] = secondBytes.get(lead) ?? [CONTINUATION_FIRST, CONTINUATION_LAST]
  if (second !== undefined && (second < first || second > last)) return null
  const length = lengthFrom(lead)
  return more.slice(0, length - 2).every(isContinuation) ? length : null
}

function lengthFrom(lead: number): number {
  if (lead >= 0xf0) return 4
  return lead >= 0xe0 ? 3 : 2
}

function isContinuation(byte: number): boolean {
  return byte >= CONTINUATION_FIRST && byte <= CONTINUATION_LAST
}
