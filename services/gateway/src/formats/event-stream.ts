/** JSON inside an event stream, and named events. */

/**
 * Writes JSON on one line for every reader: some split lines at U+2028 and U+2029, which JSON
 * leaves as they are.
 */
export function lineOfJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

/** Writes one event with a name, as the text of a stream. */
export function namedEvent(name: string, data: object): string {
  return `event: ${name}\ndata: ${lineOfJson(data)}\n\n`
}
