/** Measures how many columns of a terminal a text takes. */
import { createRequire } from 'node:module'

const PRINTABLE_ASCII = /^[ -~]*$/

const requireHere = createRequire(import.meta.url)
let library: typeof import('string-width').default | undefined

/**
 * The library is loaded with the first text that needs it: its patterns over all of Unicode take a
 * tenth of the time in which a command starts.
 */
export function textWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length
  library ??= (requireHere('string-width') as typeof import('string-width')).default
  return library(text)
}
