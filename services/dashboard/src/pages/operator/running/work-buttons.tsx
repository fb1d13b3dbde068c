import type { LineOperation, Work } from '../../../api/admin-lines.ts'
import { problemText } from '../../../text/problems.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { t } from '../operator-text.ts'

export interface WorkButtonProps {
  readonly work: Pick<Work<LineOperation>, 'isRunning' | 'stop'>
  /** The text on the button that starts it. */
  readonly name: string
  readonly onStart: () => void
}

/** Starts work of the server, or ends it while it runs. */
export function WorkButton({ work, name, onStart }: WorkButtonProps) {
  if (work.isRunning) return <Button onClick={work.stop}>{t('cancel')}</Button>
  return <Button onClick={onStart}>{name}</Button>
}

/** What went wrong, where it was started. */
export function WorkProblem({ work }: { readonly work: Pick<Work<LineOperation>, 'error'> }) {
  if (work.error === null) return null
  return <Notice look="bad">{problemText(work.error)}</Notice>
}
