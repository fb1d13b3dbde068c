/** Who carries out an operation. */
import type { AdminRole } from '../../events/admin-tokens.ts'

export interface Caller {
  /** Stands in the metadata of every event that the caller causes. */
  readonly actor: string
  readonly role: AdminRole
  /** Of the admin token, or of the user who is signed in; null for the root. */
  readonly tokenId: string | null
}

/** Has the root token of the first start, or the data folder of a stopped server itself. */
export const rootCaller: Caller = { actor: 'operator', role: 'owner', tokenId: null }

/** @param name of the admin token: its word (`kept-text.ts`), or a name of before there were any */
export function actorOf(name: string): string {
  return `operator:${name}`
}
