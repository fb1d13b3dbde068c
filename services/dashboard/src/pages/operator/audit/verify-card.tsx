import type { VerifyProgress, VerifyResult } from '@svc/contracts/admin/log'
import { useWork } from '../../../api/admin-lines.ts'
import { countText } from '../../../text/times.ts'
import { t } from '../../../text/translate.ts'
import { Card } from '../../../ui/card.tsx'
import { Code } from '../../../ui/copying/code.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Progress } from '../running/progress.tsx'
import { WorkButton, WorkProblem } from '../running/work-buttons.tsx'

/** Every event read again, and its hash computed again. */
export function VerifyCard() {
  const work = useWork('verify')
  const { progress, result } = work.newest as {
    readonly progress?: VerifyProgress
    readonly result?: VerifyResult
  }
  return (
    <Card
      title={t('verify')}
      action={<WorkButton work={work} name={t('verifyNow')} onStart={() => work.start({})} />}
    >
      <div className="flex flex-col gap-4">
        <p className="text-sm text-soft">{t('verifyText')}</p>
        {work.isRunning && (
          <Progress
            label={t('verify')}
            share={progress === undefined ? null : shareOf(progress)}
            {...(progress === undefined ? {} : { events: progress.events, rate: progress.rate })}
          />
        )}
        <WorkProblem work={work} />
        {result !== undefined && <Result result={result} />}
      </div>
    </Card>
  )
}

function shareOf({ position, head }: VerifyProgress): number {
  return Number(head) <= 0 ? 1 : Math.min(1, Number(position) / Number(head))
}

function Result({ result }: { readonly result: VerifyResult }) {
  const problems = problemsOf(result)
  const read = {
    events: countText(result.events),
    streams: countText(result.streams),
    position: countText(Number(result.position)),
  }
  return (
    <>
      <Notice look={problems.length === 0 ? 'good' : 'bad'}>
        {t(problems.length === 0 ? 'chainHolds' : 'chainBroken', read)}
      </Notice>
      {problems.length > 0 && (
        <ul className="list-disc pl-5 text-sm">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {result.head !== null && <Code label={t('headToNote')} text={result.head} />}
    </>
  )
}

/** In a line each, with the place in the log. */
function problemsOf(result: VerifyResult): readonly string[] {
  const { broken, set_aside: aside, contradicted, texts } = result
  return [
    ...broken.map(({ stream, revision }) => t('problemBroken', { stream, revision })),
    ...aside.map(({ stream, order }) => t('problemAside', { stream, order })),
    ...(result.missing_positions === '0'
      ? []
      : [t('problemMissing', { count: result.missing_positions })]),
    ...contradicted.map(({ source, stream, revision }) =>
      t('problemContradicted', { source, stream, revision }),
    ),
    ...texts.altered.map(({ stream, revision }) => t('problemAltered', { stream, revision })),
    ...texts.missing.map(({ stream, revision }) => t('problemTextGone', { stream, revision })),
  ]
}
