import { type RefObject, useEffect, useRef, useState } from 'react'

/** The width in pixels before the first measure. */
const FIRST_PIXELS = 640

/** How wide an element is, in pixels: what is drawn in it keeps its size of text. */
export function useWidth<Place extends HTMLElement>(): [RefObject<Place | null>, number] {
  const place = useRef<Place>(null)
  const [width, setWidth] = useState(FIRST_PIXELS)
  useEffect(() => {
    const { current } = place
    if (current === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.floor(entry.contentRect.width))
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [place, width]
}
