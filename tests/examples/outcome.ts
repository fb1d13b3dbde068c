/** What became of an example, and all of them as a table. */
import type { Example } from './example-list.ts'

export interface Outcome {
  readonly example: Example
  readonly state: 'passed' | 'failed' | 'skipped'
  /** Checks that passed and that did not. */
  readonly checks: Counts
  /** Why it failed or was skipped; empty when it passed. */
  readonly reason: string
  readonly seconds: number
}

export interface Counts {
  readonly passed: number
  readonly failed: number
}

/** The counts at the end of what node:test (TAP), unittest or a check in shell say. */
export function countsOf(output: string): Counts {
  const [, ran] = /^Ran (\d+) tests? in /m.exec(output) ?? []
  if (ran !== undefined) {
    const [, summary = ''] = /^FAILED \((.*)\)$/m.exec(output) ?? []
    const failed = [...summary.matchAll(/(?:failures|errors)=(\d+)/g)]
      .map(([, count]) => Number(count))
      .reduce((sum, count) => sum + count, 0)
    return { passed: Number(ran) - failed, failed }
  }
  const [, passed] = /^# pass (\d+)$/m.exec(output) ?? []
  const [, failed] = /^# fail (\d+)$/m.exec(output) ?? []
  if (passed !== undefined) return { passed: Number(passed), failed: Number(failed) }
  return { passed: linesWith(/^ok /), failed: linesWith(/^not ok /) }

  function linesWith(pattern: RegExp): number {
    return output.split('\n').filter((line) => pattern.test(line)).length
  }
}

export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ example, state, checks, reason, seconds }) => [
    example.name,
    example.clients.join(', '),
    state,
    `${checks.passed}/${checks.passed + checks.failed}`,
    `${seconds.toFixed(0)} s`,
    reason,
  ])
  const head = ['example', 'client', 'state', 'checks', 'time', 'reason']
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
