/** The port through which the ledger finds what a request was charged, however long ago. */

import type { Position } from '../ports/event-store.ts'
import type { RecordedCharge } from './commands.ts'

export interface RecordedCharges {
  /**
   * @param upTo position that the answer has to cover
   * @returns undefined when the account has no such request; `not_charged` when it runs, or ended
   *   without a debit
   * @throws {ServiceError} `view_behind` when no view covers `upTo` yet
   */
  find(
    accountId: string,
    requestId: string,
    upTo: Position,
  ): Promise<RecordedCharge | 'not_charged' | undefined>
}
