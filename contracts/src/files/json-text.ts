/** JSON that is safe to show on a terminal: `JSON.stringify` leaves some control characters raw. */

/**
 * Characters that JSON does not escape: DEL, the second set of controls, and what turns text round.
 */
const RAW_CONTROLS = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** The same value for every reader of JSON, on one line. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(RAW_CONTROLS, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
