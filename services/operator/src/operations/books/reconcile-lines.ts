/** A reconciliation of the books, with its progress: the log, read once, then rows of views. */
import type { ReconcileProgress, ReconcileResult } from '@svc/contracts/admin/finance'
import { formatExact } from '@svc/contracts/money'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import { bookAccounts } from '@svc/contracts/postings'
import { progressLines, ratePerSecond } from '../log/progress-lines.ts'
import { type ComparedSources, comparedViews, rowText } from './compared-views.ts'
import { Findings } from './findings.ts'
import { LogReconciliation } from './reconcile-log.ts'

export interface ReconcileSources extends ComparedSources {
  readonly store: Pick<EventStore, 'readAll' | 'lastPosition'>
  readonly pace: Pace
}

export function reconcileLines(
  sources: ReconcileSources,
): AsyncGenerator<ReconcileProgress | ReconcileResult> {
  return progressLines<ReconcileProgress, ReconcileResult>(async (report, signal) => {
    const { store, pace, projections, viewCurrent } = sources
    const findings = new Findings()
    const until = await store.lastPosition()
    const rateOf = ratePerSecond()
    const reconciliation = new LogReconciliation(pace, findings)
    const compared = await comparedViews(
      { projections, viewCurrent },
      signal,
      ({ part, share, events }) => {
        report({ type: 'progress', part, share, events, rate: rateOf(events) })
      },
      (batch) => reconciliation.take(batch, signal),
    )
    await reconciliation.readTo(until, store, signal)
    const log = await reconciliation.finish(signal)
    for (const { name, differences } of compared) {
      if (differences.count === 0) continue
      const [first] = differences.first
      const where = first === undefined ? '' : `: first ${rowText(first)}`
      const problem = `rows of the view ${name} are not what the log says${where}`
      findings.add('views', name, problem, BigInt(differences.count))
    }
    const equations = findings.equations()
    return {
      type: 'result',
      equations,
      ok: equations.every(({ ok }) => ok),
      findings: findings.shown,
      trial_balance: bookAccounts.map((account) => {
        return { account, balance: formatExact(log.trialBalance[account]) }
      }),
      events: log.events,
      accounts: log.accounts,
      position: `${log.position}`,
    }
  })
}
