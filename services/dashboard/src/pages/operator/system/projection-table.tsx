import type { ProjectionDetails } from '@svc/contracts/admin/projections'
import { useMay } from '../../../api/admin.ts'
import { countText, durationText } from '../../../text/times.ts'
import { Badge, type BadgeLook } from '../../../ui/badge.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { type PlainName, t } from '../operator-text.ts'
import { Rebuild } from './rebuild.tsx'
import { useRate } from './use-rate.ts'

const SECOND_MS = 1_000

const states: Readonly<Record<ProjectionDetails['state'], readonly [PlainName, BadgeLook]>> = {
  live: ['viewLive', 'good'],
  'catching-up': ['viewCatchingUp', 'warn'],
  stopped: ['viewStopped', 'bad'],
  failed: ['viewFailed', 'bad'],
}

export interface ProjectionTableProps {
  readonly projections: readonly ProjectionDetails[]
}

/** Shows how far each view is behind the log, and offers to build it anew. */
export function ProjectionTable({ projections }: ProjectionTableProps) {
  const head = (
    <>
      <Head>{t('projection')}</Head>
      <Head isNumber>{t('versionNumber')}</Head>
      <Head>{t('status')}</Head>
      <Head isNumber>{t('position')}</Head>
      <Head isNumber>{t('behind')}</Head>
      <Head isNumber>{t('behindFor')}</Head>
      <Head>
        <span className="sr-only">{t('actions')}</span>
      </Head>
    </>
  )
  return (
    <>
      <p className="mb-3 text-sm">{furthestBehind(projections)}</p>
      <Table label={t('projections')} head={head}>
        {projections.map((projection) => (
          <Line key={projection.name} projection={projection} />
        ))}
      </Table>
    </>
  )
}

function Line({ projection }: { readonly projection: ProjectionDetails }) {
  const may = useMay()
  const { name, version, state, position, head, events, error } = projection
  const rate = useRate(events)
  return (
    <tr>
      <Cell>
        <span className="whitespace-nowrap">{name}</span>
        {error !== null && <p className="text-sm text-bad">{error}</p>}
      </Cell>
      <Cell isNumber>{version}</Cell>
      <Cell>
        <Badge text={t(states[state][0])} look={states[state][1]} />
        {state === 'catching-up' && rate !== null && (
          <p className="text-sm text-soft">
            {t('eventsPerSecond', { count: countText(Math.round(rate)) })}
          </p>
        )}
      </Cell>
      <Cell isNumber>
        {t('positionOf', { position: positionText(position), head: positionText(head) })}
      </Cell>
      <Cell isNumber>{behindText(projection)}</Cell>
      <Cell isNumber>{behindFor(projection)}</Cell>
      <Cell isNumber>{may('rebuildProjection') && <Rebuild view={projection} />}</Cell>
    </tr>
  )
}

/**
 * A server that is older than the page, as in the middle of an upgrade, did not count events: its
 * answer has no count, whatever the declaration says.
 */
type Behind = Omit<ProjectionDetails, 'behind_events' | 'behind_events_exact'> &
  Partial<ProjectionDetails>

/**
 * Says how far the worst view is behind, because its readers are not helped by views that are
 * current.
 */
function furthestBehind(projections: readonly Behind[]): string {
  const [worst] = projections.toSorted((one, other) => lackingOf(other) - lackingOf(one))
  if (worst === undefined || !isBehind(worst)) return t('noneBehind')
  const { name, behind_seconds: seconds } = worst
  const count = worst.behind_events === undefined ? t('unknownNumberOf') : behindText(worst)
  return seconds === null
    ? t('furthestBehindUnknown', { name, count })
    : t('furthestBehind', { name, count, time: durationText(seconds * SECOND_MS) })
}

function lackingOf(view: Behind): number {
  return view.behind_events ?? Number(isBehind(view))
}

function isBehind({ behind_events: count, behind_events_exact: isExact, ...view }: Behind) {
  return count === undefined ? view.position !== view.head : count > 0 || isExact === false
}

/** Events that the view has not seen yet. */
function behindText(view: Behind): string {
  const { behind_events: count, behind_events_exact: isExact } = view
  if (count === undefined) return isBehind(view) ? t('unavailable') : countText(0)
  return isExact === false ? t('atLeast', { count: countText(count) }) : countText(count)
}

function behindFor(projection: Behind): string {
  const { behind_seconds: seconds } = projection
  if (!isBehind(projection)) return '–'
  return seconds === null ? t('unavailable') : durationText(seconds * SECOND_MS)
}

function positionText(position: string): string {
  return position === '-1' ? '–' : countText(Number(position))
}
