/** Who carries out an operation. */
import type { AdminRole } from './declaration.ts'

export interface Caller {
  /** Stands in the metadata of every event that the caller causes. */
  readonly actor: string
  readonly role: AdminRole
}

/** Has the root token of the first start, or the data folder of a stopped server itself. */
export const rootCaller: Caller = { actor: 'operator', role: 'owner' }
