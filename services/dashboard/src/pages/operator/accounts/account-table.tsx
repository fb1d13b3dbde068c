import type { ListedAccount } from '@svc/contracts/admin/accounts'
import { Link } from '@tanstack/react-router'
import { countText } from '../../../text/times.ts'
import { t } from '../../../text/translate.ts'
import { GivenName } from '../../../ui/given-name.tsx'
import { Age } from '../../../ui/moment.tsx'
import { DecimalColumn, finestOf } from '../../../ui/money.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { AccountStatus } from './account-status.tsx'
import { sumsOf } from './found-accounts.ts'

export interface AccountTableProps {
  /** The first of those that were found. */
  readonly accounts: readonly ListedAccount[]
  /** All of them: the sums are theirs. */
  readonly found: readonly ListedAccount[]
}

/** One line for each account; its name leads to it. */
export function AccountTable({ accounts, found }: AccountTableProps) {
  const sums = sumsOf(found)
  const decimalsOf = (name: keyof typeof sums) =>
    finestOf([sums[name], ...accounts.map((account) => account[name])])
  const decimals = {
    settled: decimalsOf('settled'),
    held: decimalsOf('held'),
    available: decimalsOf('available'),
    spent_30_days: decimalsOf('spent_30_days'),
  }
  const columns = ['available', 'settled', 'held', 'spent_30_days'] as const
  const head = (
    <>
      <Head>{t('account')}</Head>
      <Head>{t('status')}</Head>
      <Head isNumber>{t('available')}</Head>
      <Head isNumber>{t('settled')}</Head>
      <Head isNumber>{t('heldNow')}</Head>
      <Head isNumber>{t('spent30Days')}</Head>
      <Head isNumber>{t('runningNow')}</Head>
      <Head>{t('lastActivity')}</Head>
    </>
  )
  const foot = (
    <tr>
      <Cell colSpan={2}>
        <strong>{t('allAccounts', { count: countText(found.length) })}</strong>
      </Cell>
      {columns.map((name) => (
        <Cell isNumber key={name}>
          <DecimalColumn amount={sums[name]} decimals={decimals[name]} />
        </Cell>
      ))}
      <Cell isNumber>
        {countText(found.reduce((sum, { open_requests: open }) => sum + open, 0))}
      </Cell>
      <Cell />
    </tr>
  )
  return (
    <Table label={t('accounts')} head={head} foot={foot}>
      {accounts.map((account) => (
        <tr key={account.account_id} className="hover:bg-panel" data-row>
          <Cell>
            <Link to="/operator/accounts/$accountId" params={{ accountId: account.account_id }}>
              <GivenName name={account.name} />
            </Link>
            {account.external_id !== null && (
              <span className="text-xs text-soft">{account.external_id}</span>
            )}
          </Cell>
          <Cell>
            <AccountStatus status={account.status} />
          </Cell>
          {columns.map((name) => (
            <Cell isNumber key={name}>
              <DecimalColumn amount={account[name]} decimals={decimals[name]} />
            </Cell>
          ))}
          <Cell isNumber>{countText(account.open_requests)}</Cell>
          <Cell>
            <Age at={account.last_activity_at} />
          </Cell>
        </tr>
      ))}
    </Table>
  )
}
