import type { ReplayedAccount, ReplayResult } from '@svc/contracts/admin/replay'
import { useState } from 'react'
import { countText } from '../../../text/times.ts'
import { Field } from '../../../ui/forms/field.tsx'
import { GivenName } from '../../../ui/given-name.tsx'
import { DecimalColumn, finestOf } from '../../../ui/money.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { t } from '../operator-text.ts'
import { WorkCard } from '../running/work-card.tsx'

/** Rows on the page; the sums are of all, and the command line lists all. */
const SHOWN_MAX = 100

/** Balances as they were at a time or a position, folded from the log and from nothing else. */
export function ReplayCard() {
  const [to, setTo] = useState('')
  const [account, setAccount] = useState('')
  const asked = { to: placeOf(to), statement: false }
  return (
    <WorkCard
      title={t('replay')}
      text={t('replayText')}
      startName={t('replayNow')}
      operation="replay"
      input={account === '' ? asked : { ...asked, account_id: account }}
      fields={
        <div className="grid gap-3 md:grid-cols-2">
          <Field
            label={t('replayTo')}
            hint={t('replayToHint')}
            required
            value={to}
            onChange={({ target }) => setTo(target.value.trim())}
          />
          <Field
            label={t('accountId')}
            hint={t('replayAccountHint')}
            value={account}
            onChange={({ target }) => setAccount(target.value.trim())}
          />
        </div>
      }
      shareOf={({ share }) => share}
    >
      {(result, lines) => result !== undefined && <Result result={result} lines={lines} />}
    </WorkCard>
  )
}

/** A day means its first moment, UTC; a moment and a position are taken as they are. */
function placeOf(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
}

interface ResultProps {
  readonly result: ReplayResult
  readonly lines: readonly { readonly type: string }[]
}

function Result({ result, lines }: ResultProps) {
  const { position, events, totals, account } = result
  const all = lines.filter((line): line is ReplayedAccount => line.type === 'account')
  const rows = account === null ? all.map((line) => line.account) : [account]
  const shown = rows.slice(0, SHOWN_MAX)
  const decimals = {
    settled: finestOf([totals.settled, ...shown.map(({ settled }) => settled)]),
    held: finestOf([totals.held, ...shown.map(({ held }) => held)]),
  }
  const head = (
    <>
      <Head>{t('account')}</Head>
      <Head isNumber isPinned>
        {t('settled')}
      </Head>
      <Head isNumber>{t('heldNow')}</Head>
    </>
  )
  const foot = (
    <tr>
      <Cell>
        <strong>{t('allAccounts', { count: countText(totals.accounts) })}</strong>
      </Cell>
      <Cell isNumber isPinned>
        <DecimalColumn amount={totals.settled} decimals={decimals.settled} isBalance />
      </Cell>
      <Cell isNumber>
        <DecimalColumn amount={totals.held} decimals={decimals.held} />
      </Cell>
    </tr>
  )
  return (
    <>
      <p role="status" className="text-sm">
        {t('replayed', { position: countText(Number(position)), events: countText(events) })}
      </p>
      <Table label={t('replay')} head={head} foot={foot}>
        {shown.map((row) => (
          <tr key={row.account_id}>
            <Cell>
              <GivenName name={row.name} />
            </Cell>
            <Cell isNumber isPinned>
              <DecimalColumn amount={row.settled} decimals={decimals.settled} isBalance />
            </Cell>
            <Cell isNumber>
              <DecimalColumn amount={row.held} decimals={decimals.held} />
            </Cell>
          </tr>
        ))}
      </Table>
      {rows.length > shown.length && (
        <p className="text-sm text-soft">{t('replayCut', { count: SHOWN_MAX })}</p>
      )}
    </>
  )
}
