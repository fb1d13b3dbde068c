import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import type { Message } from './conversation.ts'

/** How far from the end, in pixels, somebody still reads at it. */
const NEAR_PIXELS = 60

/**
 * Keeps the newest words in sight: from a question on the page goes along with its answer, until
 * whoever reads scrolls back, and again when they are back at the end.
 *
 * @returns for what stands below all that is said
 */
export function useFollowedEnd(messages: readonly Message[]): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null)
  const isFollowing = useRef(false)
  const count = useRef(messages.length)
  useEffect(() => {
    let before = window.scrollY
    const look = () => {
      const isBack = window.scrollY < before
      before = window.scrollY
      if (isBack) isFollowing.current = false
      else if (isInSight(end.current)) isFollowing.current = true
    }
    window.addEventListener('scroll', look, { passive: true })
    return () => window.removeEventListener('scroll', look)
  }, [])
  useLayoutEffect(() => {
    if (messages.length > count.current) isFollowing.current = true
    count.current = messages.length
    if (isFollowing.current) end.current?.scrollIntoView({ block: 'end' })
  }, [messages])
  return end
}

function isInSight(element: HTMLElement | null): boolean {
  if (element === null) return false
  return element.getBoundingClientRect().top <= window.innerHeight + NEAR_PIXELS
}
