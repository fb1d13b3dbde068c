import type { ReactNode } from 'react'
import { t } from '../text/translate.ts'
import { Cell, Head, Table } from '../ui/table.tsx'

export interface ActionTableProps<Row> {
  /** What it shows, for those who do not see it. */
  readonly label: string
  /** The name of each column, and what of a row stands in it. */
  readonly columns: readonly (readonly [name: string, cell: (row: Row) => ReactNode])[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** What can be done with a row, at its end. */
  readonly actions: (row: Row) => ReactNode
}

/** Things with names and times, each with what can be done with it. */
export function ActionTable<Row>(props: ActionTableProps<Row>) {
  const { label, columns, rows, keyOf, actions } = props
  const head = (
    <>
      {columns.map(([name]) => (
        <Head key={name}>{name}</Head>
      ))}
      <Head>
        <span className="sr-only">{t('actions')}</span>
      </Head>
    </>
  )
  return (
    <Table label={label} head={head}>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          {columns.map(([name, cell]) => (
            <Cell key={name}>{cell(row)}</Cell>
          ))}
          <Cell isNumber>{actions(row)}</Cell>
        </tr>
      ))}
    </Table>
  )
}
