/** The bodies of errors, in the words of each family of clients. */
import { z } from 'zod'
import { dollars } from './dollars.ts'

/** Comes with a 402 alone; clients of all formats pass over what they do not know. */
const funds = z
  .strictObject({
    /** The most that the request may cost, or the least it is served for; null: not counted. */
    required: dollars.nullable(),
    available: dollars,
    held: dollars,
    balance_url: z.string(),
  })
  .optional()

export const openAiErrorFields = z.strictObject({
  message: z.string(),
  type: z.string(),
  /** The field at fault, as a path. */
  param: z.string().nullable(),
  code: z.string(),
  funds,
})

export const openAiErrorAnswer = z.strictObject({ error: openAiErrorFields }).meta({
  id: 'OpenAiError',
  description: 'Errors of all routes but those of the Messages format.',
})

export const anthropicErrorAnswer = z
  .strictObject({
    type: z.literal('error'),
    error: z.strictObject({
      type: z.string(),
      message: z.string(),
      details: z.strictObject({
        error_code: z.string(),
        /** The parts of the request that a client can do without. */
        unsupported: z.array(z.string()).optional(),
        funds,
      }),
    }),
    request_id: z.string().nullable(),
  })
  .meta({ id: 'AnthropicError', description: 'Errors of the Messages format.' })
