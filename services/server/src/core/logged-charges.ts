/** What requests were charged, of the whole log: found through the view of requests. */
import { viewBehind } from '@svc/contracts/errors'
import type { RecordedCharges } from '@svc/contracts/recorded-charges'
import type { Projections } from '@svc/projections/open-projections'

/** How long a correction waits for the view to hold all that the account has done. */
const VIEW_WAIT_MS = 10_000
const BEHIND = 'What the account has done is not known in full yet. Please try again.'

export function loggedCharges({
  views,
  reached,
}: Pick<Projections, 'views' | 'reached'>): RecordedCharges {
  return {
    async find(accountId, requestId, upTo) {
      if (!(await reached(upTo, VIEW_WAIT_MS, 'requests'))) throw viewBehind(BEHIND)
      const row = await views.request(requestId)
      if (row === undefined || row.accountId !== accountId) return undefined
      const { amount, slices, price, acceptedAt, counts, refunds } = row
      if (row.balanceAfter === null || counts === null) return 'not_charged'
      const debt = slices.reduce((left, slice) => left - slice.amount, amount)
      return { amount, slices, debt, version: price.version, acceptedAt, counts, refunds }
    },
  }
}
