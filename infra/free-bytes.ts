/** What is free on a disk, for who may not use the space that is kept for root. */
import { type StatsFs, statfsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'

/** Waits beside the work of this thread: a disk on a network may take its time. */
export async function freeBytes(path: string): Promise<number> {
  return freeBytesIn(await statfs(path))
}

export function freeBytesSync(path: string): number {
  return freeBytesIn(statfsSync(path))
}

function freeBytesIn({ bavail, bsize }: StatsFs): number {
  return bavail * bsize
}
