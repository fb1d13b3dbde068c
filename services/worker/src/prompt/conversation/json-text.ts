/** JSON as text: whether it is an object, and how models were shown it. */

/** Whether the text is exactly one JSON object. */
export function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/**
 * Puts white space where Python's `json.dumps` puts it, which is what models were trained on. All
 * else stays as it was written: a long number keeps its digits.
 *
 * @param text valid JSON
 */
export function canonicalJson(text: string): string {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|[,:]|\s+/gs, (token) => {
    if (token === ',' || token === ':') return `${token} `
    return token.startsWith('"') ? token : ''
  })
}
