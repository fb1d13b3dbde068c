import type { CompareResult, ReplayProgress } from '@svc/contracts/admin/replay'
import { useWork } from '../../../api/admin-lines.ts'
import { countText } from '../../../text/times.ts'
import { t } from '../../../text/translate.ts'
import { Card } from '../../../ui/card.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { Progress } from '../running/progress.tsx'
import { WorkButton, WorkProblem } from '../running/work-buttons.tsx'

/** All views made anew from the log, and every row compared with the live ones. */
export function CompareCard() {
  const work = useWork('compareViews')
  const { progress, result } = work.newest as {
    readonly progress?: ReplayProgress
    readonly result?: CompareResult
  }
  return (
    <Card
      title={t('compareViews')}
      action={<WorkButton work={work} name={t('compareNow')} onStart={() => work.start({})} />}
    >
      <div className="flex flex-col gap-4">
        <p className="text-sm text-soft">{t('compareText')}</p>
        {work.isRunning && (
          <Progress
            label={t('compareViews')}
            share={progress?.share ?? null}
            {...(progress === undefined ? {} : { events: progress.events, rate: progress.rate })}
          />
        )}
        <WorkProblem work={work} />
        {result !== undefined && <Result result={result} />}
      </div>
    </Card>
  )
}

function Result({ result: { same, views, first } }: { readonly result: CompareResult }) {
  const head = (
    <>
      <Head>{t('projection')}</Head>
      <Head isNumber>{t('events')}</Head>
      <Head isNumber>{t('differences')}</Head>
    </>
  )
  return (
    <>
      <Notice look={same ? 'good' : 'bad'}>{t(same ? 'viewsAgree' : 'viewsDiffer')}</Notice>
      <Table label={t('compareViews')} head={head}>
        {views.map(({ name, events, differences }) => (
          <tr key={name}>
            <Cell>{name}</Cell>
            <Cell isNumber>{countText(events)}</Cell>
            <Cell isNumber>{countText(differences)}</Cell>
          </tr>
        ))}
      </Table>
      {first.length > 0 && (
        <ul className="list-disc pl-5 text-sm">
          {first.map(({ view, table, key, live, replayed }) => (
            <li key={JSON.stringify([view, table, key])} className="wrap-anywhere">
              {t('rowDiffers', {
                row: `${view}.${table} ${JSON.stringify(key)}`,
                live: JSON.stringify(live),
                replayed: JSON.stringify(replayed),
              })}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
