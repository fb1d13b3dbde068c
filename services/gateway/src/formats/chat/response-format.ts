/** `response_format`: what the text of a chat answer must be. */
import type { OutputFormat } from '@svc/contracts/worker/protocol'
import { z } from 'zod'

const schemaName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)

export const responseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({
      name: schemaName,
      schema: z.record(z.string(), z.unknown()),
    }),
  }),
])
export type ResponseFormat = z.output<typeof responseFormat>

/** A schema is enforced whether it is called strict or not, so there must be one. */
export function outputFormatOf(format: ResponseFormat | null | undefined): OutputFormat {
  if (format?.type === 'json_object') return { type: 'json' }
  if (format?.type !== 'json_schema') return { type: 'text' }
  return { type: 'json_schema', schema: format.json_schema.schema }
}
