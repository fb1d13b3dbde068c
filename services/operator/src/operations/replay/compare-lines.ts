/** Makes all views anew from the log, and compares them with the live ones row by row. */
import type { CompareResult, ReplayProgress } from '@svc/contracts/admin/replay'
import { type ComparedSources, comparedViews } from '../books/compared-views.ts'
import { progressLines, ratePerSecond } from '../log/progress-lines.ts'

export function compareLines(
  sources: ComparedSources,
): AsyncGenerator<ReplayProgress | CompareResult> {
  return progressLines<ReplayProgress, CompareResult>(async (report, signal) => {
    const rateOf = ratePerSecond()
    const compared = await comparedViews(sources, signal, ({ part, share, events }) =>
      report({ type: 'progress', part, share, events, rate: rateOf(events) }),
    )
    return {
      type: 'result',
      views: compared.map(({ name, events, differences }) => {
        return { name, events, differences: differences.count }
      }),
      same: compared.every(({ differences }) => differences.count === 0),
      first: compared.flatMap(({ name, differences }) =>
        differences.first.map((row) => ({ view: name, ...row })),
      ),
    }
  })
}
