/** The bodies of errors, in the words of each family of clients. */
import { z } from 'zod'

export const openAiErrorAnswer = z
  .strictObject({
    error: z.strictObject({
      message: z.string(),
      type: z.string(),
      /** The field at fault, as a path. */
      param: z.string().nullable(),
      code: z.string(),
    }),
  })
  .meta({
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
        /** What of the request a client can do without. */
        unsupported: z.array(z.string()).optional(),
      }),
    }),
    request_id: z.string().nullable(),
  })
  .meta({ id: 'AnthropicError', description: 'Errors of the Messages format.' })
