import type { OperationInput } from '@svc/contracts/admin/operations'
import { useMutation } from '@tanstack/react-query'
import { adminLines } from '../../../api/admin-lines.ts'
import type { ApiError } from '../../../api/api-error.ts'
import { problemText } from '../../../text/problems.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { t } from '../operator-text.ts'
import { saveText } from '../running/save-text.ts'

type Input = OperationInput<'exportStatement'>

/** Each format with its media type. */
const formats = {
  csv: 'text/csv',
  jsonl: 'application/jsonl',
  html: 'text/html',
} as const satisfies Record<NonNullable<Input['as']>, string>
type Format = keyof typeof formats

export interface StatementFilesProps {
  /** What the page shows; the file has all of it, whatever part of it is on the page. */
  readonly asked: Omit<Input, 'as'>
}

/** The whole statement as a file, as the server writes it. */
export function StatementFiles({ asked }: StatementFilesProps) {
  const save = useMutation<void, ApiError, Format>({
    mutationFn: async (as) => {
      const pieces: string[] = []
      for await (const { text } of adminLines('exportStatement', { ...asked, as })) {
        pieces.push(text)
      }
      saveText(`statement-${asked.account_id}.${as}`, formats[as], pieces)
    },
  })
  return (
    <div className="flex flex-wrap items-center gap-2 print:hidden">
      {(Object.keys(formats) as Format[]).map((as) => (
        <Button key={as} disabled={save.isPending} onClick={() => save.mutate(as)}>
          {t(as)}
        </Button>
      ))}
      {save.error !== null && <Notice look="bad">{problemText(save.error)}</Notice>}
    </div>
  )
}
