/** Opens views in a folder of their own for a test, and shows all that is in them. */
import { DatabaseSync } from 'node:sqlite'
import type { EventStore } from '@svc/contracts/ports/event-store'
import { durableFile } from '@svc/infra/sqlite/durable-file'
import { systemTimer } from '@svc/infra/system/system-timer'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { onTestFinished } from 'vitest'
import { projections } from '../src/followed/followed-projections.ts'
import { openProjections, type Projections } from '../src/open-projections.ts'
import { viewPath } from '../src/runner/file/view-file.ts'
import type { ProjectionLog, ReportedFields } from '../src/runner/projection-log.ts'

export const TIMEOUT_MS = 10_000

/** Keeps what the views report: in each line the message, then its fields. */
export class KeptLog implements ProjectionLog {
  readonly lines: string[] = []
  readonly info = this.#keep
  readonly warn = this.#keep
  readonly error = this.#keep

  #keep(fields: ReportedFields, message: string): void {
    this.lines.push([message, ...Object.values(fields)].join(': '))
  }
}

/** Views that have all that is in the store. */
export async function viewsOf(
  store: EventStore,
  folder = temporaryFolder(),
  log: ProjectionLog = new KeptLog(),
): Promise<Projections> {
  const views = await openProjections({
    folder,
    store,
    timer: systemTimer,
    keepFile: durableFile,
    log,
  })
  onTestFinished(() => views.close())
  views.start()
  await views.reached(await store.lastPosition(), TIMEOUT_MS)
  return views
}

/** Makes a store that reads the same one in pages of another size. */
export function inBatchesOf(size: number, store: EventStore): EventStore {
  return {
    append: (request) => store.append(request),
    readStream: (request) => store.readStream(request),
    readAll: (request) => store.readAll({ ...request, limit: size }),
    readAllBackwards: (request) => store.readAllBackwards(request),
    lastPosition: () => store.lastPosition(),
    subscribe: (request) => store.subscribe({ ...request, batchSize: size }),
    close: () => store.close(),
  }
}

/** Every row of every table of every view, and the checkpoints: equal text is an equal view. */
export function dump(folder: string): string {
  return projections
    .map((projection) => {
      const database = new DatabaseSync(viewPath(folder, projection), { readOnly: true })
      const tables = [...projection.tables, { name: 'checkpoint', key: ['one'] }]
      const rows = tables.flatMap(({ name, key }) => [
        name,
        ...database.prepare(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`).all(),
      ])
      database.close()
      return rows.map((row) => JSON.stringify(row)).join('\n')
    })
    .join('\n')
}
