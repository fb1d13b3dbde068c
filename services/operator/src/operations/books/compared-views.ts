/** The live views against views that are made anew from the log, with how far that is. */
import type { Projections } from '@svc/projections/open-projections'

/**
 * The share of the time that it takes to fold the log, roughly; the rest is the comparison of the
 * rows.
 */
const FOLD_SHARE = 0.7

export interface ComparedSources {
  readonly projections: Pick<Projections, 'status' | 'compare'>
  /** Resolves when a view has all that is in the log. */
  readonly viewCurrent: (name: string) => Promise<unknown>
}

export interface ComparedProgress {
  /** `log` while that is folded, then the view whose rows are compared. */
  readonly part: string
  /** The share of the whole that is done, 0 to 1. */
  readonly share: number
  /** Events that were folded. */
  readonly events: number
}

type CompareProgress = Parameters<Parameters<Projections['compare']>[0]>[0]
type Compared = Awaited<ReturnType<Projections['compare']>>
export type RowDifference = Compared[number]['differences']['first'][number]

/** @throws when the signal aborts */
export async function comparedViews(
  { projections, viewCurrent }: ComparedSources,
  signal: AbortSignal,
  onProgress: (progress: ComparedProgress) => void,
  onBatch?: Parameters<Projections['compare']>[2],
): Promise<Compared> {
  const names = (await projections.status()).map(({ name }) => name)
  await Promise.all(names.map(viewCurrent))
  const show = ({ done, total, comparing }: CompareProgress): void => {
    const compared = comparing === undefined ? 0 : names.indexOf(comparing) / names.length
    const folded = total === 0 ? 1 : done / total
    const share = folded * FOLD_SHARE + compared * (1 - FOLD_SHARE)
    onProgress({ part: comparing ?? 'log', share, events: done })
  }
  return projections.compare(show, signal, onBatch)
}

/** Names a row, such as `accounts account_id=acct_…`. */
export function rowText({ table, key }: RowDifference): string {
  const columns = Object.entries(key).map(([name, value]) => `${name}=${value}`)
  return [table, ...columns].join(' ')
}
