import { type ReactNode, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { problemText } from '../text/problems.ts'
import { t } from '../text/translate.ts'

export interface FindBoxProps {
  /** What can be found, such as an id. */
  readonly label: string
  readonly onFind: (text: string) => void
  /** Why nothing was found, and where it was looked for. */
  readonly problem?: string | undefined
  /** What was found, where that is no page. */
  readonly answer?: ReactNode
}

/** Takes any id, wherever the reader is; `/` leads to it. */
export function FindBox({ label, onFind, problem, answer }: FindBoxProps) {
  const [text, setText] = useState('')
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() !== '') onFind(text.trim())
        }}
      >
        <input
          type="search"
          data-find
          aria-label={label}
          placeholder={t('findByKey')}
          title={label}
          className="min-h-9 w-full rounded-md border border-edge bg-paper px-2 placeholder:text-soft"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </form>
      <p role="status" className="text-sm wrap-anywhere text-bad not-empty:mt-1">
        {problem ?? answer}
      </p>
    </search>
  )
}

/** @param missing what is said where there is nothing of an id */
export function foundNothing(
  error: Error | null,
  missing: (id: string) => string,
  id = '',
): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  // The server speaks of its field, of which whoever types into the box knows nothing.
  if (error.code === 'invalid_value') return t('noWholeId', { id })
  return error.status === 404 ? missing(id) : problemText(error)
}
