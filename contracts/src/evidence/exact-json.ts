/**
 * Reads JSON of evidence so that programs in other languages find the same in it. `JSON.parse`
 * alone makes 1 of 0.99999999999999999999, and a text of half a character.
 */

/** What that can happen to. An event of svc has neither, and costs no second look. */
const DOUBTFUL = /[:,[\s]-?\d+[.eE]|\\u[dD][89a-fA-F]/
const WHOLE_NUMBER = /^-?\d+$/
/** A backslash as a character, which escapes nothing, or both halves of a character. */
const WHOLE_CHARACTER = /\\\\|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F]/g
const HALF = /\\u[dD][89a-fA-F]/

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown
// TypeScript's library does not know the third parameter yet.
const parse: (text: string, reviver?: Reviver) => unknown = JSON.parse

/**
 * @param text comes from whole UTF-8
 * @returns undefined when it is no JSON; NaN stands for a number that has more than digits
 */
export function exactJson(text: string): unknown {
  const isDoubtful = DOUBTFUL.test(text)
  if (isDoubtful && hasHalfCharacter(text)) return undefined
  try {
    return isDoubtful ? parse(text, asWritten) : parse(text)
  } catch {
    return undefined
  }
}

const asWritten: Reviver = (_key, value, { source = '' } = {}) => {
  return typeof value === 'number' && !WHOLE_NUMBER.test(source) ? Number.NaN : value
}

function hasHalfCharacter(text: string): boolean {
  return HALF.test(text.replaceAll(WHOLE_CHARACTER, ''))
}
