import type { AccountSums, ListedAccount } from '@svc/contracts/admin/accounts'
import { useRouter } from '@tanstack/react-router'
import { memo } from 'react'
import { countText } from '../../../text/times.ts'
import { useScreenful } from '../../../ui/drawing/screenful.ts'
import { GivenName } from '../../../ui/given-name.tsx'
import { Age } from '../../../ui/moment.tsx'
import { DecimalColumn, finestOf } from '../../../ui/money.tsx'
import { Cell, Head, Table } from '../../../ui/table.tsx'
import { RowLink } from '../../row-link.tsx'
import { t } from '../operator-text.ts'
import { AccountStatus } from './account-status.tsx'

const columns = ['available', 'settled', 'held', 'spent_30_days'] as const
type Column = (typeof columns)[number]
/** These columns show zero as an amount; where nothing is held or spent there is a dash. */
const balances: readonly Column[] = ['available', 'settled']

export interface AccountTableProps {
  /** What was asked for: accounts in another order are another list. */
  readonly list: string
  /** The accounts that were loaded. */
  readonly accounts: readonly ListedAccount[]
  /**
   * Sums of all accounts that fit, also of those that are not loaded; undefined where not known.
   */
  readonly sums: AccountSums | undefined
}

/** One line for each account; its name leads to it. */
export function AccountTable({ list, accounts, sums }: AccountTableProps) {
  const drawn = useScreenful(list, accounts)
  const decimals = decimalsOf(sums === undefined ? accounts : [...accounts, sums])
  const { publicHref: page } = useRouter().buildLocation({ to: '/operator/accounts' })
  const head = (
    <>
      <Head>{t('account')}</Head>
      <Head>{t('status')}</Head>
      <Head isNumber isPinned>
        {t('available')}
      </Head>
      <Head isNumber>{t('settled')}</Head>
      <Head isNumber>{t('heldNow')}</Head>
      <Head isNumber>{t('spent30Days')}</Head>
      <Head isNumber>{t('runningNow')}</Head>
      <Head>{t('lastActivity')}</Head>
    </>
  )
  const foot =
    sums === undefined ? undefined : (
      <tr>
        <Cell colSpan={2}>
          <strong>{t('allAccounts', { count: countText(sums.accounts) })}</strong>
        </Cell>
        <Amounts row={sums} {...decimals} />
        <Cell isNumber>{countText(sums.open_requests)}</Cell>
        <Cell />
      </tr>
    )
  return (
    <Table label={t('accounts')} head={head} foot={foot}>
      {drawn.map((account) => (
        <Line
          key={account.account_id}
          account={account}
          address={`${page}/${encodeURIComponent(account.account_id)}`}
          {...decimals}
        />
      ))}
    </Table>
  )
}

/** Decimals of the finest amount in each column. */
type Decimals = Readonly<Record<Column, number>>

function decimalsOf(rows: readonly Readonly<Record<Column, string>>[]): Decimals {
  const finest = (name: Column) => finestOf(rows.map((row) => row[name]))
  return {
    available: finest('available'),
    settled: finest('settled'),
    held: finest('held'),
    spent_30_days: finest('spent_30_days'),
  }
}

interface LineProps extends Decimals {
  readonly account: ListedAccount
  readonly address: string
}

/** Drawn once: a list that grows by a page draws that page alone. */
const Line = memo(({ account, address, ...decimals }: LineProps) => (
  <tr className="hover:bg-panel" data-row>
    <Cell>
      <RowLink href={address}>
        <GivenName name={account.name} />
      </RowLink>
      {account.external_id !== null && (
        <span className="text-xs text-soft">{account.external_id}</span>
      )}
    </Cell>
    <Cell>
      <AccountStatus status={account.damaged ? 'damaged' : account.status} />
    </Cell>
    <Amounts row={account} {...decimals} />
    <Cell isNumber>{countText(account.open_requests)}</Cell>
    <Cell>
      <Age at={account.last_activity_at} />
    </Cell>
  </tr>
))

interface AmountsProps extends Decimals {
  readonly row: Readonly<Record<Column, string>>
}

function Amounts({ row, ...decimals }: AmountsProps) {
  return columns.map((name) => (
    <Cell isNumber isPinned={name === 'available'} key={name}>
      <DecimalColumn
        amount={row[name]}
        decimals={decimals[name]}
        isBalance={balances.includes(name)}
      />
    </Cell>
  ))
}
