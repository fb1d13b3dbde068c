import type { CompareResult } from '@svc/contracts/admin/replay'
import { countText } from '../../../text/times.ts'
import { Notice } from '../../../ui/notice.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { t } from '../operator-text.ts'
import { WorkCard } from '../running/work-card.tsx'

/** All views made anew from the log, and every row compared with the live ones. */
export function CompareCard() {
  return (
    <WorkCard
      title={t('compareViews')}
      text={t('compareText')}
      startName={t('compareNow')}
      operation="compareViews"
      input={{}}
      shareOf={({ share }) => share}
    >
      {(result) => result !== undefined && <Result result={result} />}
    </WorkCard>
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
