import { useRouter } from '@tanstack/react-router'
import { startTransition, useEffect, useState } from 'react'
import { behindFrame } from './behind-frame.ts'

/** More than windows show; a taller one has the others a frame later. */
const SCREENFUL_ROWS = 30

/** How many lists are remembered that were drawn whole. */
const WHOLE_LISTS_MAX = 20

/** How many rows of a list were drawn at a place of the history, the newest list last. */
const wholeLists = new Map<string, number>()

function remember(place: string, count: number): void {
  wholeLists.delete(place)
  wholeLists.set(place, count)
  const [oldest] = wholeLists.keys()
  if (wholeLists.size > WHOLE_LISTS_MAX && oldest !== undefined) wholeLists.delete(oldest)
}

/**
 * Those rows of a long list that are drawn now. What fits a window comes first and is painted; the
 * rows below, which nobody sees yet, come behind that frame. Rows that were drawn stay drawn while
 * the list is the same: it must not become shorter under somebody who has scrolled down. A step
 * back finds them drawn too, so that the page can be scrolled to where it was left.
 *
 * @param list tells it from another, such as one under other filters
 */
export function useScreenful<Row>(list: string, rows: readonly Row[]): readonly Row[] {
  const { history } = useRouter()
  const place = `${history.location.state.__TSR_key} ${list}`
  const [drawn, setDrawn] = useState({ list, count: wholeLists.get(place) ?? 0 })
  const known = drawn.list === list ? drawn.count : 0
  const { length } = rows
  useEffect(() => {
    if (known >= length) return remember(place, length)
    return behindFrame(() => startTransition(() => setDrawn({ list, count: length })))
  }, [place, list, known, length])
  const count = known + SCREENFUL_ROWS
  return count < length ? rows.slice(0, count) : rows
}
