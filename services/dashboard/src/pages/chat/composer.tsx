import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'

const ROWS = 3

export interface ComposerProps {
  readonly draft: string
  readonly isRunning: boolean
  readonly onDraft: (text: string) => void
  readonly onAsk: () => void
  readonly onStop: () => void
}

/** Takes a question. Enter sends it, and Shift with Enter begins a line. */
export function Composer({ draft, isRunning, onDraft, onAsk, onStop }: ComposerProps) {
  return (
    <form
      className="sticky bottom-0 flex items-end gap-2 border-t border-line bg-paper py-3"
      onSubmit={(event) => {
        event.preventDefault()
        onAsk()
      }}
    >
      <textarea
        aria-label={t('yourQuestion')}
        placeholder={t('yourQuestion')}
        rows={ROWS}
        className="min-w-0 flex-1 rounded-md border border-edge bg-paper px-3 py-2"
        value={draft}
        onChange={({ target }) => onDraft(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          onAsk()
        }}
      />
      {isRunning ? (
        <Button onClick={onStop}>{t('stop')}</Button>
      ) : (
        <Button look="main" type="submit" disabled={draft.trim() === ''}>
          {t('send')}
        </Button>
      )}
    </form>
  )
}
