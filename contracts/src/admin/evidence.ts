/** What proves the history of the accounts: evidence files, and the key that signs them. */
import { z } from 'zod'
import { lineOperation, operation, type Shown } from './declaration/declaration.ts'
import { entryNumber, id, nothing } from './declaration/fields.ts'

const evidenceKey = z.object({
  /** A verifier key, as signed notes have them: to be given to customers, by another way. */
  key: z.string(),
  /** Signed notes by which the key was changed, oldest first. */
  rotations: z.array(z.string()),
  /** The last checkpoint, as a signed note. Null before the first. */
  checkpoint: z.string().nullable(),
  /** The number of events that it covers. */
  verified_to: z.int().nullable(),
})
export type EvidenceKey = Shown<typeof evidenceKey>

export const evidenceOperations = {
  evidenceKey: operation({
    method: 'GET',
    path: '/evidence/key',
    role: 'auditor',
    summary: 'The public key of the evidence, and the last checkpoint',
    input: nothing,
    output: evidenceKey,
  }),
  exportEvidence: lineOperation({
    method: 'GET',
    path: '/evidence/accounts/:account_id',
    role: 'auditor',
    summary: 'The evidence file of an account, in pieces of text',
    recorded: ['account_id'],
    input: z.strictObject({
      account_id: id,
      /** The size of an earlier checkpoint: the file then shows that the log went on from it. */
      since: entryNumber.optional(),
    }),
    output: z.object({ text: z.string() }),
  }),
  rotateEvidenceKey: operation({
    method: 'POST',
    path: '/evidence/key/rotate',
    role: 'owner',
    summary: 'Sign with a new key from now on, which the old one vouches for',
    repeat: 'Makes one more key, for which the one before vouches.',
    input: nothing,
    output: evidenceKey,
  }),
}
