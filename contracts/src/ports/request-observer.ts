/**
 * Told how inference requests fare, so that figures can be kept of them. It decides nothing, and a
 * gateway runs without one.
 *
 *     begin ─▶ booked? ─▶ broke? ─▶ ended        a request that got as far as its answer
 *     refused                                    one that did not: no key, too much under way …
 */
import type { ServiceError } from '@svc/contracts/errors'
import type { WireFormat } from '@svc/contracts/events/account'
import type { EndedRun } from '@svc/gateway/request/cost'
import type { Settled } from '@svc/ledger/ledger'

export interface RequestWatch {
  begin(format: WireFormat): WatchedRequest
  refused(format: WireFormat, error: ServiceError): void
}

export interface WatchedRequest {
  /**
   * Its run is over, and its end is in the ledger. A replayed answer has no run.
   *
   * @param settled what was debited; undefined when the request ended without a charge
   */
  booked(run: EndedRun, settled: Settled | undefined): void
  /** The answer had begun when it failed: its stream ends with the error. */
  broke(error: ServiceError): void
  /**
   * Called once, at the end.
   *
   * @param outcome what the caller was answered with, or that it had left
   */
  ended(outcome: 'answered' | 'left' | ServiceError): void
}

const unwatched: WatchedRequest = { booked: () => {}, broke: () => {}, ended: () => {} }

export const noWatch: RequestWatch = { begin: () => unwatched, refused: () => {} }
