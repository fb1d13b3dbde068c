/** What a process holds of the machine, as Linux's /proc tells it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface ProcessSize {
  /** Memory that is really there (RSS). */
  readonly bytes: number
  readonly openFiles: number
  /** Of the open files. */
  readonly sockets: number
}

const BYTES_PER_KIB = 1024

export function sizeOfProcess(pid: number): ProcessSize {
  const targets = readdirSync(`/proc/${pid}/fd`).map((name) => targetOf(`/proc/${pid}/fd/${name}`))
  return {
    bytes: memoryOfProcess(pid),
    openFiles: targets.length,
    sockets: targets.filter((target) => target.startsWith('socket:')).length,
  }
}

/**
 * The memory alone, in bytes. To look at each of thousands of open files takes tens of milliseconds
 * of a processor that the process could use.
 */
export function memoryOfProcess(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * BYTES_PER_KIB
}

/** Empty when it was closed since it was listed. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}
