import type { UsageAnswer } from '@svc/contracts/wire/usage'
import { countText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { useScreenful } from '../../ui/drawing/screenful.ts'
import { GivenName } from '../../ui/given-name.tsx'
import { DecimalColumn, finestOf } from '../../ui/money.tsx'
import { Cell, Head, Table } from '../../ui/table.tsx'
import type { KeyNames } from '../key-names.ts'
import { groupLabel, stepLabel, usedOf } from './usage-rows.ts'
import { WholePeriod } from './whole-period.tsx'

const groupNames = { key: 'key', model: 'model', format: 'format', class: 'tokens' } as const

export interface UsageTableProps {
  readonly usage: UsageAnswer
  /** Of keys, where rows may be of them. */
  readonly names?: KeyNames
}

/** The figures of the charts, and their sum over the whole period. */
export function UsageTable({ usage, names }: UsageTableProps) {
  const { data, total, by, group_by: groups } = usage
  const drawn = useScreenful([by, ...groups, usage.from, usage.to].join(' '), data)
  const decimals = finestOf([total.amount, ...data.map(({ amount }) => amount)])
  const [group] = groups
  const isGrouped = group !== undefined
  const head = (
    <>
      <Head>{t('period')}</Head>
      {isGrouped && <Head>{t(groupNames[group])}</Head>}
      <Head isNumber>{t('requests')}</Head>
      <Head isNumber>{t('input')}</Head>
      <Head isNumber>{t('cachedInput')}</Head>
      <Head isNumber>{t('output')}</Head>
      <Head isNumber isPinned>
        {t('cost')}
      </Head>
    </>
  )
  const foot = (
    <tr>
      <Cell colSpan={isGrouped ? 2 : 1}>
        <WholePeriod usage={usage} />
      </Cell>
      <Uses row={total} decimals={decimals} />
    </tr>
  )
  return (
    <Table label={t('usage')} head={head} foot={foot}>
      {drawn.map((row) => (
        <tr key={`${row.from} ${row.key?.id ?? groupLabel(row)}`}>
          <Cell>{stepLabel(row, usage)}</Cell>
          {isGrouped && (
            <Cell>
              <GivenName name={groupLabel(row, names)} />
            </Cell>
          )}
          <Uses row={row} decimals={decimals} />
        </tr>
      ))}
    </Table>
  )
}

interface UsesProps {
  readonly row: UsageAnswer['total']
  readonly decimals: number
}

function Uses({ row, decimals }: UsesProps) {
  return (
    <>
      <Cell isNumber>{row.requests === null ? '–' : countText(row.requests)}</Cell>
      <Cell isNumber>{countText(usedOf(row, 'input').tokens)}</Cell>
      <Cell isNumber>{countText(usedOf(row, 'cached_input').tokens)}</Cell>
      <Cell isNumber>{countText(usedOf(row, 'output').tokens)}</Cell>
      <Cell isNumber isPinned>
        <DecimalColumn amount={row.amount} decimals={decimals} />
      </Cell>
    </>
  )
}
