/**
 * Files of an account: `GET /v1/exports/statement`, `…/requests` and `…/usage`. Each is the whole
 * list that was asked for, with what it is of at its beginning and the SHA-256 of its rows.
 */
import { z } from 'zod'
import { requestsFields } from './requests.ts'
import { statementQuery } from './statement.ts'
import { usageFields } from './usage.ts'

/** The formats of a file, each with its media type. `html` is to print. */
export const exportMedia = {
  csv: 'text/csv',
  jsonl: 'application/jsonl',
  html: 'text/html',
} as const

const listFormats = ['csv', 'jsonl'] as const

const inPages = { cursor: true, limit: true } as const

export const statementExportQuery = statementQuery
  // A file goes on from the opening to the closing balance, always.
  .omit({ ...inPages, order: true })
  .extend({ as: z.enum([...listFormats, 'html']).default('csv') })
export type StatementExportFields = z.output<typeof statementExportQuery>

export const requestsExportQuery = z
  .strictObject(requestsFields)
  .omit(inPages)
  .extend({ as: z.enum(listFormats).default('csv') })
export type RequestsExportFields = z.output<typeof requestsExportQuery>

export const usageExportQuery = z
  .strictObject(usageFields)
  .omit(inPages)
  .extend({ as: z.enum(listFormats).default('csv') })
export type UsageExportFields = z.output<typeof usageExportQuery>

/** The text of a file. */
export const exportText = z.string()
