/** What one request needs of the ledger. */
import type { Ledger, Settled } from '@svc/ledger/ledger'
import { type CreditPorts, requireCredit } from '../admission/credit.ts'
import { type RunToSettle, type SettlePorts, settleRun } from './settle.ts'

export interface RequestLedger extends Pick<Ledger, 'accept'> {
  /**
   * @throws {ServiceError} `insufficient_quota`, with the least that a request to the model needs
   */
  requireCredit(accountId: string, model: string): Promise<void>
  /** Settles as {@link settleRun} does. */
  settle(run: RunToSettle): Promise<Settled | undefined>
}

export type RequestLedgerPorts = CreditPorts &
  SettlePorts & { readonly ledger: Pick<Ledger, 'accept'> }

export function requestLedgerOn(ports: RequestLedgerPorts): RequestLedger {
  return {
    requireCredit: (accountId, model) => requireCredit(ports, accountId, model),
    accept: (...asked) => ports.ledger.accept(...asked),
    settle: (run) => settleRun(ports, run),
  }
}
