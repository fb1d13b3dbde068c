import type { EquationName, ReconcileResult } from '@svc/contracts/admin/finance'
import { countText } from '../../../text/times.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { type PlainName, t } from '../operator-text.ts'
import { WorkCard } from '../running/work-card.tsx'

const equations: Readonly<Record<EquationName, PlainName>> = {
  meters: 'equationMeters',
  debits: 'equationDebits',
  balances: 'equationBalances',
  postings: 'equationPostings',
  views: 'equationViews',
}

/** Meters, debits, balances, postings and views held against each other. */
export function ReconcileCard() {
  return (
    <WorkCard
      title={t('reconcile')}
      text={t('reconcileText')}
      startName={t('reconcileNow')}
      operation="reconcile"
      input={{}}
      shareOf={({ share }) => share}
    >
      {(result) => result !== undefined && <Result result={result} />}
    </WorkCard>
  )
}

function Result({ result }: { readonly result: ReconcileResult }) {
  const { ok, events, accounts, position, findings } = result
  const read = {
    events: countText(events),
    accounts: countText(accounts),
    position: countText(Number(position)),
  }
  return (
    <>
      <Notice look={ok ? 'good' : 'bad'}>{t(ok ? 'booksAgree' : 'booksDiffer', read)}</Notice>
      <Table
        label={t('equations')}
        head={
          <>
            <Head>{t('equation')}</Head>
            <Head>{t('result')}</Head>
            <Head isNumber isPinned>
              {t('difference')}
            </Head>
          </>
        }
      >
        {result.equations.map(({ name, ok: holds, difference }) => (
          <tr key={name}>
            <Cell>{t(equations[name])}</Cell>
            <Cell>
              <Badge look={holds ? 'good' : 'bad'} text={t(holds ? 'agrees' : 'differs')} />
            </Cell>
            <Cell isNumber isPinned>
              {difference}
            </Cell>
          </tr>
        ))}
      </Table>
      {findings.length > 0 && (
        <Table
          label={t('differences')}
          head={
            <>
              <Head>{t('equation')}</Head>
              <Head>{t('subject')}</Head>
              <Head>{t('problem')}</Head>
              <Head isNumber isPinned>
                {t('difference')}
              </Head>
            </>
          }
        >
          {findings.map((finding) => (
            <tr key={`${finding.equation} ${finding.subject} ${finding.problem}`}>
              <Cell>{finding.equation}</Cell>
              <Cell>{finding.subject}</Cell>
              <Cell>{finding.problem}</Cell>
              <Cell isNumber isPinned>
                {finding.difference}
              </Cell>
            </tr>
          ))}
        </Table>
      )}
    </>
  )
}
