import type { ProjectionState, RebuildProgress, RebuildResult } from '@svc/contracts/admin/log'
import { useMay } from '../../../api/admin.ts'
import { useWork } from '../../../api/admin-lines.ts'
import { countText, durationText } from '../../../text/times.ts'
import { type PlainName, t } from '../../../text/translate.ts'
import { Badge, type BadgeLook } from '../../../ui/badge.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { Progress } from '../running/progress.tsx'
import { WorkButton, WorkProblem } from '../running/work-buttons.tsx'

const SECOND_MS = 1_000

const states: Readonly<Record<ProjectionState['state'], readonly [PlainName, BadgeLook]>> = {
  live: ['viewLive', 'good'],
  'catching-up': ['viewCatchingUp', 'warn'],
  stopped: ['viewStopped', 'bad'],
  failed: ['viewFailed', 'bad'],
}

export interface ProjectionTableProps {
  readonly projections: readonly ProjectionState[]
}

/** Where each view stands behind the log, and the way to build it anew. */
export function ProjectionTable({ projections }: ProjectionTableProps) {
  const may = useMay()
  const head = (
    <>
      <Head>{t('projection')}</Head>
      <Head>{t('status')}</Head>
      <Head isNumber>{t('position')}</Head>
      <Head isNumber>{t('behind')}</Head>
      <Head>
        <span className="sr-only">{t('actions')}</span>
      </Head>
    </>
  )
  return (
    <Table label={t('projections')} head={head}>
      {projections.map((projection) => (
        <tr key={projection.name}>
          <Cell>
            {projection.name}
            {projection.error !== null && <p className="text-sm text-bad">{projection.error}</p>}
          </Cell>
          <Cell>
            <Badge text={t(states[projection.state][0])} look={states[projection.state][1]} />
          </Cell>
          <Cell isNumber>{countText(Number(projection.position))}</Cell>
          <Cell isNumber>{countText(behindOf(projection))}</Cell>
          <Cell isNumber>{may('rebuildProjection') && <Rebuild name={projection.name} />}</Cell>
        </tr>
      ))}
    </Table>
  )
}

/** Events that the view has not seen yet. */
function behindOf({ position, head }: ProjectionState): number {
  return Math.max(0, Number(head) - Number(position))
}

/** Builds it beside the live one, and says how many rows differed. */
function Rebuild({ name }: { readonly name: string }) {
  const work = useWork('rebuildProjection')
  const { progress, result } = work.newest as {
    readonly progress?: RebuildProgress
    readonly result?: RebuildResult
  }
  return (
    <div className="flex flex-col items-end gap-2 whitespace-normal">
      <WorkButton work={work} name={t('rebuild')} onStart={() => work.start({ name })} />
      {work.isRunning && (
        <Progress
          label={t('rebuildOf', { name })}
          share={progress === undefined ? null : shareOf(progress)}
          {...(progress === undefined ? {} : { events: progress.done, rate: progress.rate })}
        />
      )}
      <WorkProblem work={work} />
      {result !== undefined && (
        <Notice look={result.differences === 0 ? 'good' : 'warn'}>
          {t('rebuilt', {
            events: countText(result.events),
            time: durationText(result.seconds * SECOND_MS),
            differences: countText(result.differences),
          })}
        </Notice>
      )}
    </div>
  )
}

function shareOf({ done, total }: RebuildProgress): number {
  return total === 0 ? 1 : done / total
}
