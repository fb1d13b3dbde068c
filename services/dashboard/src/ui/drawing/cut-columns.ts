/** Columns of a table that scrolls sideways which are seen in part. */
import { type RefObject, useEffect } from 'react'

/** A cell has at least as much free space at its sides: what covers that cuts nothing. */
const PADDING_PX = 5

/**
 * Names them in `data-cut`, counted from the end of a row: the first cells of a row may span
 * several columns. A number of which a part is seen would read as another number, so the styles
 * show none of it until it is seen whole.
 */
export function useCutColumns(section: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = section.current
    const table = element?.firstElementChild
    if (element === null || !(table instanceof HTMLElement)) return
    const mark = () => {
      element.dataset.cut = cutColumns(element).join(' ')
    }
    const sizes = new ResizeObserver(mark)
    sizes.observe(element)
    sizes.observe(table)
    element.addEventListener('scroll', mark, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', mark)
    }
  }, [section])
}

function cutColumns(section: HTMLElement): readonly number[] {
  const heads = [...section.querySelectorAll('thead th')]
  const pinned = heads.find((head) => head.matches('[data-pinned]'))
  const edges = section.getBoundingClientRect()
  const end = pinned?.getBoundingClientRect().left ?? edges.right
  return heads.flatMap((head, index) => {
    if (head === pinned) return []
    const { left, right } = head.getBoundingClientRect()
    const isCut = (edge: number) => left + PADDING_PX < edge && edge < right - PADDING_PX
    return isCut(edges.left) || isCut(end) ? [heads.length - index] : []
  })
}
