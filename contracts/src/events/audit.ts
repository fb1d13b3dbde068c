/** The events of the one stream `audit`. The names and shapes are the storage format. */
import { z } from 'zod'

export const auditStream = 'audit'

export const auditEventSchemas = {
  RecordsRead: z.object({
    /** The operation of the admin API, such as `statement`. */
    operation: z.string(),
    /** What of the question says whose records, and of when; null: all of them. */
    subject: z.record(z.string(), z.string().nullable()),
    at: z.int().min(0),
  }),
} as const

export type AuditEvent = {
  readonly type: 'RecordsRead'
  readonly data: Readonly<z.output<typeof auditEventSchemas.RecordsRead>>
}
