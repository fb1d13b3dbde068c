/** How long processors have worked for a process: hardly changed by what else the machine does. */
import { readFileSync } from 'node:fs'

/** As Linux counts in /proc. */
const CLOCK_TICKS_PER_SECOND = 100
/** Where the fields are, counted from the one after the name of the command. */
const USER_FIELD = 11

/** In milliseconds, of all threads of a process since its start. Linux only. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the command may hold spaces: what follows its closing bracket does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user = 0, system = 0] = fields.slice(USER_FIELD, USER_FIELD + 2).map(Number)
  return ((user + system) / CLOCK_TICKS_PER_SECOND) * 1000
}
