/** `text`: what the text of the answer must be. */
import type { OutputFormat } from '@svc/contracts/worker/protocol'
import { z } from 'zod'
import { givenSchema } from '../given-object.ts'

/** Given back in the answer, as the label of a user is. The model does not see it. */
const DESCRIPTION_CHARACTERS_MAX = 16_384

const format = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    description: z.string().max(DESCRIPTION_CHARACTERS_MAX).nullish(),
    schema: givenSchema,
    strict: z.boolean().nullish(),
  }),
])

export const textField = z.object({
  format: format.nullish(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
})
type TextField = z.output<typeof textField>

/** A schema is enforced whether it is called strict or not. */
export function outputFormatOf(text: TextField | null | undefined): OutputFormat {
  const given = text?.format
  if (given?.type === 'json_object') return { type: 'json' }
  if (given?.type === 'json_schema') return { type: 'json_schema', schema: given.schema }
  return { type: 'text' }
}

/** The field as the answer shows it. */
export function shownText(text: TextField | null | undefined): object {
  const verbosity = text?.verbosity ? { verbosity: text.verbosity } : {}
  const given = text?.format
  if (given?.type !== 'json_schema')
    return { format: { type: given?.type ?? 'text' }, ...verbosity }
  const { type, name, description, schema, strict } = given
  const shown = { type, name, description: description ?? null, schema, strict: strict ?? true }
  return { format: shown, ...verbosity }
}
