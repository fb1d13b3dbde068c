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
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
  const targets = readdirSync(`/proc/${pid}/fd`).map((name) => targetOf(`/proc/${pid}/fd/${name}`))
  return {
    bytes: kib * BYTES_PER_KIB,
    openFiles: targets.length,
    sockets: targets.filter((target) => target.startsWith('socket:')).length,
  }
}

/** Empty when it was closed since it was listed. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}
