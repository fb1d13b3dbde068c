/** Requests that were refused: what the request log keeps of them. */
import { z } from 'zod'
import { wireFormat } from '../events/account.ts'
import { id, operation, type Shown } from './declaration.ts'

const refusal = z.object({
  id: z.string(),
  refused_at: z.string(),
  /** Null without a valid key. */
  account_id: z.string().nullable(),
  key_id: z.string().nullable(),
  format: wireFormat,
  /** Null when it was refused before its body was read. */
  model: z.string().nullable(),
  status: z.int(),
  code: z.string(),
  /** What the code means. */
  meaning: z.string(),
  /** What the caller was told; null where that may quote the request. */
  message: z.string().nullable(),
})
export type RefusalDetails = Shown<typeof refusal>

export const requestOperations = {
  explainRefusal: operation({
    method: 'GET',
    path: '/refused-requests/:request_id',
    role: 'auditor',
    summary: 'Why a request was refused, for thirty days',
    recorded: ['request_id'],
    input: z.strictObject({ request_id: id }),
    output: refusal,
  }),
}
