import { t } from '../../text/translate.ts'
import { Empty } from '../../ui/empty.tsx'
import { StatementTable, type StatementTableProps } from './statement-table.tsx'

/** A stretch of a statement, as the server gives it at once. */
export type StatementPart = Pick<StatementTableProps, 'entries' | 'opening' | 'closing' | 'isWhole'>

export interface StatementPartsProps
  extends Pick<StatementTableProps, 'list' | 'order' | 'receiptAddress' | 'movement'> {
  /** Each goes on where the one before ends, in the order of the entries. */
  readonly parts: readonly StatementPart[]
}

/** All that was loaded of a statement, as one table. */
export function StatementParts({ parts, ...rest }: StatementPartsProps) {
  const [first] = parts
  const last = parts.at(-1)
  const entries = parts.flatMap((part) => part.entries)
  if (first === undefined || last === undefined || entries.length === 0) {
    return <Empty title={t('noMovements')} />
  }
  const [oldest, newest] = rest.order === 'oldest' ? [first, last] : [last, first]
  return (
    <StatementTable
      entries={entries}
      opening={oldest.opening}
      closing={newest.closing}
      isWhole={last.isWhole}
      {...rest}
    />
  )
}
