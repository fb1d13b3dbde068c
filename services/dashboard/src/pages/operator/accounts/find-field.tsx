import { useEffect, useState } from 'react'
import { Field } from '../../../ui/forms/field.tsx'

/**
 * The search waits this many milliseconds for somebody to type on, because each search of an
 * auditor leaves an event.
 */
const PAUSE_MS = 300

export interface FindFieldProps {
  readonly label: string
  /** What is looked for now. */
  readonly value: string
  readonly onFind: (text: string) => void
}

/** Looks for what was typed, at Enter or a moment after the last letter. */
export function FindField({ label, value, onFind }: FindFieldProps) {
  const [typed, setTyped] = useState<string>()
  useEffect(() => {
    if (typed === undefined) return
    const timer = setTimeout(() => onFind(typed), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, onFind])
  // What is typed meanwhile stays; else the field follows the address, as when filters are cleared.
  useEffect(() => setTyped((now) => (now?.trim() === value ? undefined : now)), [value])
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (typed !== undefined) onFind(typed)
      }}
    >
      <Field
        label={label}
        type="search"
        maxLength={200}
        value={typed ?? value}
        onChange={({ target }) => setTyped(target.value)}
      />
    </form>
  )
}
