/**
 * A real EventStoreDB that the tests may kill, by two commands of the operator's: it may run in a
 * container, under a supervisor, or in a shell. They run in a shell, and end by themselves.
 */
import { spawn } from 'node:child_process'
import { isLive } from './live.ts'
import type { Switches } from './store-under-test.ts'

export interface StoreCommands {
  /** As `kill -9`. */
  readonly kill: string
  /** Over the same data and the same port. */
  readonly start: string
}

export function commandSwitches({ kill, start }: StoreCommands, url: string): Switches {
  const cannot = () => Promise.reject(new Error('there is no command that freezes the store'))
  return {
    kill: () => run(kill),
    async restart() {
      await run(start)
      await isLive(url)
    },
    freeze: cannot,
    thaw: cannot,
  }
}

/** What it leaves running in the background goes on. */
async function run(command: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const child = spawn(command, { shell: true, stdio: 'ignore' })
  child.once('error', reject)
  child.once('exit', (code) => {
    if (code === 0) resolve()
    else reject(new Error(`"${command}" ended with ${code}`))
  })
  await promise
}
