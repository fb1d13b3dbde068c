import type { OperationInput } from '@svc/contracts/admin/operations'
import { useMutation } from '@tanstack/react-query'
import { adminLines } from '../../../api/admin-lines.ts'
import type { ApiError } from '../../../api/api-error.ts'
import { problemText } from '../../../text/problems.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { t } from '../operator-text.ts'
import { saveText } from '../running/save-text.ts'

/** The formats of each file, and what it is called. */
const files = {
  exportStatement: { title: 'statement', formats: ['csv', 'jsonl', 'html'] },
  exportRequests: { title: 'requests', formats: ['csv', 'jsonl'] },
} as const
type FileName = keyof typeof files

/** Each format with its media type. */
const media = { csv: 'text/csv', jsonl: 'application/jsonl', html: 'text/html' } as const
type Format = keyof typeof media

export interface AccountFilesProps<Name extends FileName> {
  readonly name: Name
  /** What the page shows; the file has all of it, whatever part of it is on the page. */
  readonly asked: Omit<OperationInput<Name>, 'as'>
}

/** The whole list as a file, as the server writes it. */
export function AccountFiles<Name extends FileName>({ name, asked }: AccountFilesProps<Name>) {
  const { title, formats } = files[name]
  const save = useMutation<void, ApiError, Format>({
    mutationFn: async (as) => {
      const pieces: string[] = []
      const input = { ...asked, as } as OperationInput<Name>
      for await (const { text } of adminLines(name, input)) pieces.push(text)
      saveText(`${title}-${asked.account_id}.${as}`, media[as], pieces)
    },
  })
  return (
    <div className="flex flex-wrap items-center gap-2 print:hidden">
      {formats.map((as) => (
        <Button key={as} disabled={save.isPending} onClick={() => save.mutate(as)}>
          {t(as)}
        </Button>
      ))}
      {save.error !== null && <Notice look="bad">{problemText(save.error)}</Notice>}
    </div>
  )
}
