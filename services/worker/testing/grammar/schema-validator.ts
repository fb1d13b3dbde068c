/** Validation by a library, to compare the grammars with. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { JsonSchema } from '../../src/grammar/schema/schema-document.ts'
import { patternSearch } from './pattern-search.ts'

const regExp = Object.assign(
  // Patterns of one text are taken for one pattern.
  (pattern: string) => ({ ...patternSearch(pattern), toString: () => pattern }),
  // Only for validators that are written to files, which these are not.
  { code: '' },
)
// Own properties only: else an object without `constructor` would be said to have one.
const ajv = new Ajv2020({ strict: false, ownProperties: true, logger: false, code: { regExp } })
addFormats.default(ajv)
ajv.addFormat('uint8', {
  type: 'number',
  validate: (value) => Number.isInteger(value) && value >= 0 && value <= 255,
})

/**
 * @returns why a JSON text is not valid, or null
 * @throws Error when the schema is none
 */
export function schemaValidator(schema: JsonSchema): (json: string) => string | null {
  const validate = ajv.compile(schema)
  // It would be kept for ever otherwise, and its identifier be taken.
  if (typeof schema === 'object') ajv.removeSchema(schema)
  return (json) => (validate(JSON.parse(json)) ? null : ajv.errorsText(validate.errors))
}

/** Numbers from 0 to 1 that a seed repeats. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
