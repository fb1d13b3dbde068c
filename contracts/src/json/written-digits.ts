/**
 * JSON that goes through and comes out with its numbers as they were written: a JavaScript number
 * cannot hold 12345678901234567890. How such numbers were written is noted beside their object.
 */
type Reviver = (
  this: object,
  key: string,
  value: unknown,
  context?: { readonly source?: string },
) => unknown

const parse: (text: string, reviver: Reviver) => unknown = JSON.parse
// TypeScript's library does not know it yet.
const { rawJSON } = JSON as JSON & { rawJSON(text: string): object }

/** Digits by the object or the array that holds the numbers, and by key or index. */
const written = new WeakMap<object, Map<string, string>>()

/**
 * Parses as `JSON.parse`, which it calls.
 *
 * @throws {SyntaxError | RangeError} nested too deeply
 */
export function parsedWithDigits(text: string): unknown {
  return parse(text, function (key, value, { source } = {}) {
    if (typeof value === 'number' && source !== undefined && source !== String(value)) {
      const notes = written.get(this) ?? new Map<string, string>()
      written.set(this, notes.set(key, source))
    }
    return value
  })
}

/**
 * Writes as `JSON.stringify`. A value that was parsed with its digits has them, wherever it stands.
 */
export function textWithDigits(value: object): string {
  return JSON.stringify(value, function (this: object, key: string, each: unknown) {
    return asWritten(this, key, each)
  })
}

/**
 * What was parsed with its digits, with such numbers as objects that `JSON.stringify` writes as
 * they came, also in copies of it. It is the value itself where it has none.
 */
export function withDigits<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  const given = value as Record<string, unknown>
  let copy: Record<string, unknown> | undefined
  for (const [key, each] of Object.entries(given)) {
    const kept = withDigits(asWritten(value, key, each))
    if (kept === each) continue
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
    copy[key] = kept
  }
  return (copy as Value | undefined) ?? value
}

function asWritten(holder: object, key: string, each: unknown): unknown {
  const source = typeof each === 'number' ? written.get(holder)?.get(key) : undefined
  return source !== undefined && Number(source) === each ? rawJSON(source) : each
}
