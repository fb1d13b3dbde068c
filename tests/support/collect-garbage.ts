/** Has the process give back what nothing refers to, for tests of what is kept. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/**
 * Twice: the first lets finalizers run. What a `WeakRef` was made of or gave in this turn goes
 * too.
 */
export async function collectGarbage(): Promise<void> {
  await nextTurn()
  collect()
  await nextTurn()
  collect()
}
