/** A reconciliation of the books, with its progress: the log first, then the views one by one. */
import type { ReconcileProgress, ReconcileResult } from '@svc/contracts/admin/finance'
import { formatExact } from '@svc/contracts/money'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import { bookAccounts } from '@svc/contracts/postings'
import type { Projections } from '@svc/projections/open-projections'
import { progressLines, ratePerSecond } from '../log/progress-lines.ts'
import { Findings } from './findings.ts'
import { reconcileLog } from './reconcile-log.ts'

export interface ReconcileSources {
  readonly store: Pick<EventStore, 'readAll' | 'lastPosition'>
  readonly pace: Pace
  readonly projections: Pick<Projections, 'status' | 'compare'>
  /** Resolves when a view has all that is in the log. */
  readonly viewCurrent: (name: string) => Promise<unknown>
}

export function reconcileLines(
  sources: ReconcileSources,
): AsyncGenerator<ReconcileProgress | ReconcileResult> {
  return progressLines<ReconcileProgress, ReconcileResult>(async (report, signal) => {
    const { store, pace, projections, viewCurrent } = sources
    const findings = new Findings()
    const until = await store.lastPosition()
    const views = (await projections.status()).map(({ name }) => name)
    let rateOf = ratePerSecond()
    const show = (part: number, name: string, share: number, events: number) => {
      const whole = (part + Math.min(1, share)) / (1 + views.length)
      report({ type: 'progress', part: name, share: whole, events, rate: rateOf(events) })
    }
    const onProgress = (events: number, position: bigint) =>
      show(0, 'log', (Number(position) + 1) / (Number(until) + 1), events)
    const log = await reconcileLog({ store, pace, signal, until, findings, onProgress })
    for (const [index, name] of views.entries()) {
      await viewCurrent(name)
      rateOf = ratePerSecond()
      const { differences } = await projections.compare(
        name,
        ({ done, total }) => show(index + 1, name, done / total, done),
        signal,
      )
      if (differences === 0) continue
      const problem = `rows of the view ${name} are not what the log says`
      findings.add('views', name, problem, BigInt(differences))
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
      position: `${until}`,
    }
  })
}
