import { useEffect, useRef, useState } from 'react'

const SECOND_MS = 1_000

/** @returns how fast a count grows, in a second; null before it was seen to change */
export function useRate(count: number): number | null {
  const before = useRef<{ readonly count: number; readonly at: number }>(undefined)
  const [rate, setRate] = useState<number | null>(null)
  useEffect(() => {
    const now = { count, at: performance.now() }
    const { current: last } = before
    before.current = now
    if (last === undefined || now.count <= last.count) return
    setRate(((now.count - last.count) * SECOND_MS) / (now.at - last.at))
  }, [count])
  return rate
}
