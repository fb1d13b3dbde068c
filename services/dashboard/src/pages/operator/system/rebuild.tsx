import type { ProjectionDetails } from '@svc/contracts/admin/projections'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { askAdmin, useAdminChange } from '../../../api/admin.ts'
import { useWork } from '../../../api/admin-lines.ts'
import { countText, durationText } from '../../../text/times.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { t } from '../operator-text.ts'
import { Progress } from '../running/progress.tsx'
import { WorkProblem } from '../running/work-buttons.tsx'
import { useRate } from './use-rate.ts'

const SECOND_MS = 1_000

/** Builds the view anew. How far it is stands on the server: a reload of the page loses nothing. */
export function Rebuild({ view }: { readonly view: ProjectionDetails }) {
  const [isAsking, setAsking] = useState(false)
  const work = useWork('rebuildProjection')
  const cancel = useAdminChange('cancelRebuild')
  const { name, rebuild } = view
  const isRunning = rebuild?.state === 'running'
  return (
    <div className="flex flex-col items-end gap-2 whitespace-normal">
      {isRunning ? (
        <Button disabled={cancel.isPending} onClick={() => cancel.mutate({ name })}>
          {t('cancel')}
        </Button>
      ) : (
        <Button disabled={work.isRunning} onClick={() => setAsking(true)}>
          {t('rebuild')}
        </Button>
      )}
      {isRunning && <Running name={name} rebuild={rebuild} />}
      <WorkProblem work={work} />
      {rebuild !== null && <Outcome rebuild={rebuild} />}
      {isAsking && (
        <AskedRebuild
          name={name}
          onConfirm={() => {
            setAsking(false)
            work.start({ name, detached: true })
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}

type RebuildState = NonNullable<ProjectionDetails['rebuild']>

interface RunningProps {
  readonly name: string
  readonly rebuild: RebuildState
}

function Running({ name, rebuild: { done, total } }: RunningProps) {
  const rate = useRate(done)
  const left = rate === null || rate === 0 ? null : ((total - done) / rate) * SECOND_MS
  return (
    <div className="w-48">
      <Progress
        label={t('rebuildOf', { name })}
        share={total === 0 ? 1 : done / total}
        events={done}
        {...(rate === null ? {} : { rate })}
      />
      {left !== null && (
        <p className="text-sm text-soft">{t('timeLeft', { time: durationText(left) })}</p>
      )}
    </div>
  )
}

/** Says how the last rebuild ended. */
function Outcome({ rebuild: { state, total, differences, error } }: Omit<RunningProps, 'name'>) {
  if (state === 'running') return null
  if (state === 'cancelled') return <Notice look="warn">{t('rebuildCancelled')}</Notice>
  if (state === 'failed') {
    return <Notice look="bad">{t('rebuildFailed', { problem: error ?? '' })}</Notice>
  }
  return (
    <Notice look={differences === 0 ? 'good' : 'warn'}>
      {t('rebuilt', { events: countText(total), differences: countText(differences ?? 0) })}
    </Notice>
  )
}

interface AskedRebuildProps {
  readonly name: string
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** What it will do, tried before it is done. */
function AskedRebuild({ name, onConfirm, onClose }: AskedRebuildProps) {
  const trial = useQuery({ ...askAdmin('tryRebuild', { name }), staleTime: Infinity, gcTime: 0 })
  return (
    <Dialog title={t('rebuildTitle', { name })} onClose={onClose}>
      <div className="flex flex-col gap-4 text-left">
        <p className="text-sm">{t('rebuildEffect')}</p>
        {trial.isPending ? (
          <p className="text-soft">{t('rebuildTrying')}</p>
        ) : (
          <Answer query={trial}>
            {({ events, rate, seconds }) =>
              rate === null || seconds === null ? (
                <p>{t('rebuildPlanNone')}</p>
              ) : (
                <p>
                  {t('rebuildPlan', {
                    events: countText(events),
                    time: durationText(seconds * SECOND_MS),
                    rate: countText(rate),
                  })}
                </p>
              )
            }
          </Answer>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="main" disabled={trial.isPending} onClick={onConfirm}>
            {t('rebuild')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
