/** The store that a benchmark runs on, opened as often as it likes over one log. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { EventStore } from '@svc/contracts/ports/event-store'

import { openEventStoreDb } from '@svc/infra/event-store/eventstoredb/open-eventstoredb'
import { MemoryEventStore } from '@svc/infra/event-store/memory/memory-event-store'
import { openSqliteEventStore } from '@svc/infra/event-store/sqlite/sqlite-event-store'

export const storeNames = ['sqlite', 'memory', 'eventstoredb'] as const
export type StoreName = (typeof storeNames)[number]

export interface BenchStore {
  /** What the figures are of: `sqlite`, or `eventstoredb (the double …)`. */
  readonly description: string
  open(): Promise<EventStore>
  /** Closes one that was opened, so that the next can be. */
  close(store: EventStore): Promise<void>
  /** Ends what was started for the benchmark. */
  end(): Promise<void>
}

/** @param folder for the files of a store that has any; whoever made it removes it */
export async function startBenchStore(name: StoreName, folder: string): Promise<BenchStore> {
  switch (name) {
    case 'memory':
      return memory()
    case 'sqlite':
      return sqlite(folder)
    case 'eventstoredb':
      return eventStoreDb(process.env.EVENTSTORE_URL)
  }
}

function memory(): BenchStore {
  const store = new MemoryEventStore()
  const nothing = async () => {}
  return { description: 'memory', open: async () => store, close: nothing, end: nothing }
}

function sqlite(folder: string): BenchStore {
  return {
    description: 'sqlite',
    open: async () =>
      openSqliteEventStore(join(folder, 'ledger.db'), {
        onFatal: (error) => {
          throw error
        },
      }),
    close: (store) => store.close(),
    end: async () => {},
  }
}

/** Streams of a prefix of their own: a server that holds others is not disturbed. */
async function eventStoreDb(named: string | undefined): Promise<BenchStore> {
  const double = named === undefined ? await startDouble() : undefined
  const url = named ?? double?.url ?? ''
  const streamPrefix = `bench-${randomUUID()}.`
  return {
    description:
      double === undefined
        ? 'eventstoredb'
        : 'eventstoredb (the double: no promise for a real server)',
    open: () => openEventStoreDb({ url, streamPrefix }),
    close: (store) => store.close(),
    end: async () => double?.end(),
  }
}

interface DoubleProcess {
  readonly url: string
  end(): Promise<void>
}

async function startDouble(): Promise<DoubleProcess> {
  const program = import.meta.resolve('@svc/testing/eventstoredb-double/main')
  const child: ChildProcess = spawn(process.execPath, [fileURLToPath(program)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout === null) throw new Error('no standard output')
  const lines = createInterface({ input: child.stdout })
  const [line] = await once(lines, 'line')
  const url = /esdb:\S+/.exec(String(line))?.[0]
  if (url === undefined) throw new Error(`the double says no address: ${line}`)
  return {
    url,
    async end() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
