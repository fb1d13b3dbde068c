import type { StatementAnswer, StatementOrder } from '@svc/contracts/wire/statement'
import { memo } from 'react'
import { isolated } from '../../text/isolated.ts'
import { type PlainName, t } from '../../text/translate.ts'
import { useScreenful } from '../../ui/drawing/screenful.ts'
import { GivenName } from '../../ui/given-name.tsx'
import { Moment } from '../../ui/moment.tsx'
import { DecimalColumn, finestOf } from '../../ui/money.tsx'
import { Cell, Head, Table } from '../../ui/table.tsx'
import { foundRow } from '../found-row.ts'
import type { ReceiptAddress } from '../requests/receipt-address.ts'
import { RowLink } from '../row-link.tsx'

type Entry = StatementAnswer['data'][number]

const types: Readonly<Record<Entry['type'], PlainName>> = {
  grant: 'entryGrant',
  usage: 'entryUsage',
  expiry: 'entryExpiry',
  void: 'entryVoid',
  refund: 'entryRefund',
  adjustment: 'entryAdjustment',
  closing: 'entryClosing',
}

export interface StatementTableProps {
  /** What was asked for: entries of something else are another list. */
  readonly list?: string
  readonly order: StatementOrder
  readonly entries: readonly Entry[]
  /** Exact dollars before the oldest and after the newest of them. */
  readonly opening: string
  readonly closing: string
  /** Whether no entry of the period comes behind the last. */
  readonly isWhole: boolean
  /** Gives the addresses of receipts, for entries of usage. */
  readonly receiptAddress: ReceiptAddress
  /** The movement that was looked for, by its id. */
  readonly movement?: string | undefined
}

/** Whether an entry is the grant, the adjustment or the refund of an id. */
export function isMovement(
  { type, reference, description }: Entry,
  movement: string | undefined,
): boolean {
  if (type === 'grant' || type === 'adjustment') return reference === movement
  // A refund refers to its request, and is named where it is described.
  return type === 'refund' && description.startsWith(`refund ${movement}:`)
}

/** opening + credits − debits = closing, with the balance after every entry. */
export function StatementTable(props: StatementTableProps) {
  const { list = '', order, entries, opening, closing, isWhole, receiptAddress, movement } = props
  const drawn = useScreenful(list, entries)
  const moved = finestOf(entries.flatMap(({ debit, credit }) => [debit, credit]))
  const balances = finestOf([opening, closing, ...entries.map(({ balance }) => balance)])
  const head = (
    <>
      <Head>{t('time')}</Head>
      <Head>{t('type')}</Head>
      <Head>{t('description')}</Head>
      <Head isNumber>{t('debit')}</Head>
      <Head isNumber>{t('credited')}</Head>
      <Head isNumber isPinned>
        {t('balance')}
      </Head>
    </>
  )
  const isOldestFirst = order === 'oldest'
  const opened = { name: t(isWhole || isOldestFirst ? 'opening' : 'openingSoFar'), amount: opening }
  const closed = {
    name: t(isWhole || !isOldestFirst ? 'closing' : 'closingSoFar'),
    amount: closing,
  }
  const [above, below] = isOldestFirst ? [opened, closed] : [closed, opened]
  return (
    <Table label={t('statement')} head={head} foot={<Sum {...below} decimals={balances} />}>
      <Sum {...above} decimals={balances} />
      {drawn.map((entry) => (
        <Line
          key={entry.entry}
          entry={entry}
          receipt={receiptAddress(entry.reference)}
          isFound={isMovement(entry, movement)}
          moved={moved}
          balances={balances}
        />
      ))}
    </Table>
  )
}

interface SumProps {
  readonly name: string
  /** Exact dollars. */
  readonly amount: string
  readonly decimals: number
}

/** The balance at one end of the statement. */
function Sum({ name, amount, decimals }: SumProps) {
  return (
    <tr>
      <Cell colSpan={5}>
        <strong>{name}</strong>
      </Cell>
      <Cell isNumber isPinned>
        <DecimalColumn amount={amount} decimals={decimals} isBalance />
      </Cell>
    </tr>
  )
}

interface LineProps extends DescriptionProps {
  readonly isFound: boolean
  /** Decimals of the columns. */
  readonly moved: number
  readonly balances: number
}

/** Drawn once: a statement that grows by a page draws that page alone. */
const Line = memo(({ entry, receipt, isFound, moved, balances }: LineProps) => (
  <tr className="hover:bg-panel" data-row {...(isFound && foundRow)}>
    <Cell>
      <Moment at={entry.at} />
    </Cell>
    <Cell>
      <span className="whitespace-nowrap">{t(types[entry.type])}</span>
    </Cell>
    <Cell>
      <Description entry={entry} receipt={receipt} />
    </Cell>
    <Cell isNumber>
      <DecimalColumn amount={entry.debit} decimals={moved} />
    </Cell>
    <Cell isNumber>
      <DecimalColumn amount={entry.credit} decimals={moved} />
    </Cell>
    <Cell isNumber isPinned>
      <DecimalColumn amount={entry.balance} decimals={balances} isBalance />
    </Cell>
  </tr>
))

interface DescriptionProps {
  readonly entry: Entry
  /** The address of the receipt, where something was used. */
  readonly receipt: string
}

/** What was used leads to its receipt; below stands the id by which any entry is found. */
function Description({ entry, receipt }: DescriptionProps) {
  const { type, key, model, reference, description, payment_reference: payment } = entry
  const used = [isolated(key?.name ?? key?.id ?? reference), model].filter(Boolean).join(' · ')
  return (
    <>
      {type === 'usage' ? (
        <RowLink href={receipt}>
          <GivenName name={used} />
        </RowLink>
      ) : (
        <GivenName name={description} />
      )}
      <code className="text-xs text-soft">{reference}</code>
      {payment !== null && (
        <span className="block text-xs text-soft">
          {t('paymentReference', { reference: isolated(payment) })}
        </span>
      )}
    </>
  )
}
