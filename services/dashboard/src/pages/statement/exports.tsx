import type { DashboardInput } from '@svc/contracts/dashboard/operations'
import { useMutation } from '@tanstack/react-query'
import { everyPage } from '../../api/pages.ts'
import { countText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import {
  EXPORT_ROWS_MAX,
  type StatementFile,
  statementFiles,
  wholeStatement,
} from './statement-files.ts'

const PAGE = 1_000

export interface ExportsProps {
  /** The account and the period that the page shows. */
  readonly asked: DashboardInput<'accountStatement'>
}

/** The whole period as a file, whatever part of it is on the page; or on paper. */
export function Exports({ asked }: ExportsProps) {
  const save = useMutation({
    mutationFn: async (file: StatementFile) => {
      const statement = await wholeStatement(
        everyPage('accountStatement', { ...asked, limit: PAGE }),
      )
      const blob = new Blob([file.write(statement)], { type: file.contentType })
      download(blob, `statement-${asked.account_id}.${file.name}`)
    },
  })
  return (
    <div className="flex flex-wrap items-center print:hidden *:not-first:ml-2">
      {statementFiles.map((file) => (
        <Button key={file.name} disabled={save.isPending} onClick={() => save.mutate(file)}>
          {t(file.name)}
        </Button>
      ))}
      <Button onClick={() => print()}>{t('print')}</Button>
      <span role="status" className="text-sm empty:ml-0!">
        {save.isPending && t('exporting')}
        {save.error instanceof RangeError &&
          t('exportTooLong', { count: countText(EXPORT_ROWS_MAX) })}
        {save.error !== null && !(save.error instanceof RangeError) && t('exportFailed')}
      </span>
    </div>
  )
}

function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
