/** The place of a field in what a caller sent, and its name as the caller wrote it. */

/** A name that the caller chose, such as a key of `metadata`, is shown up to here in an error. */
const SHOWN_NAME_CHARACTERS = 64

/** The place of a part in what was sent: `['input', 2]`. */
export type FieldPath = readonly PropertyKey[]

/** Writes `['messages', 0, 'content']` as `messages[0].content`. */
export function pathText(path: FieldPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text === '' ? shownName(step) : `${text}.${shownName(step)}`
  }, '')
}

function shownName(step: PropertyKey): string {
  const name = String(step)
  if (name.length <= SHOWN_NAME_CHARACTERS) return name
  // A character that is cut in half would break clients that print the error.
  return `${name.slice(0, SHOWN_NAME_CHARACTERS).toWellFormed()}…`
}

/** @returns undefined where nothing is there */
export function valueAt(given: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<PropertyKey, unknown>>)[step]
        : undefined,
    given,
  )
}
