import { startTransition, useEffect, useState } from 'react'
import { behindFrame } from './behind-frame.ts'

/** More than windows show; a taller one has the others a frame later. */
const SCREENFUL_ROWS = 30

/**
 * Those rows of a long list that are drawn now. What fits a window comes first and is painted; the
 * rows below, which nobody sees yet, come behind that frame. Rows that were drawn stay drawn while
 * the list is the same: it must not become shorter under somebody who has scrolled down.
 *
 * @param list tells it from another, such as one under other filters
 */
export function useScreenful<Row>(list: string, rows: readonly Row[]): readonly Row[] {
  const [drawn, setDrawn] = useState({ list, count: 0 })
  const known = drawn.list === list ? drawn.count : 0
  const { length } = rows
  useEffect(() => {
    if (known >= length) return
    return behindFrame(() => startTransition(() => setDrawn({ list, count: length })))
  }, [list, known, length])
  const count = known + SCREENFUL_ROWS
  return count < length ? rows.slice(0, count) : rows
}
