/** Who carries out an operation. */
import { OPERATOR_ACTOR } from '../../events/actors.ts'
import type { AdminRole } from '../../events/admin-tokens.ts'

export interface Caller {
  /** Stands in the metadata of every event that the caller causes. */
  readonly actor: string
  readonly role: AdminRole
  /** The id of the admin token, or of the user who is signed in; null for the root. */
  readonly tokenId: string | null
}

/** Has the root token of the first start, or the data folder of a stopped server itself. */
export const rootCaller: Caller = { actor: OPERATOR_ACTOR, role: 'owner', tokenId: null }
