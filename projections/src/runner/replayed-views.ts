/**
 * Views that are folded from events that somebody else chooses, such as those up to a day of last
 * year, in files that are thrown away. They show the past as the log has it, and no live view.
 */
import { join } from 'node:path'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import type { Projection } from '../projection/projection.ts'
import { removeLargeDatabase } from './file/view-database.ts'
import { ViewFile, type ViewPorts } from './file/view-file.ts'
import { foldBatch } from './fold-log.ts'

export class ReplayedViews {
  readonly #files: readonly ViewFile[]
  readonly #pace: Pace

  /**
   * @param name tells the files of two replays apart; what a crash leaves of them is removed at the
   *   next start
   */
  constructor(
    projections: readonly Projection[],
    folder: string,
    name: string,
    { ports, pace }: { readonly ports: ViewPorts; readonly pace: Pace },
  ) {
    this.#files = projections.map(
      (projection) =>
        new ViewFile(projection, join(folder, `${name}-${projection.name}.db`), ports),
    )
    this.#pace = pace
  }

  /** Folds events, each behind those that were folded before. @throws when one cannot be folded */
  fold(batch: readonly RecordedEvent[]): Promise<void> {
    return foldBatch(this.#files, batch, this.#pace)
  }

  /** Writes what is folded, so that it can be asked. */
  async finish(): Promise<void> {
    for (const file of this.#files) await this.#pace.step(() => file.commit())
  }

  databaseOf({ name }: Projection): ViewFile['database'] {
    const file = this.#files.find(({ projection }) => projection.name === name)
    if (file === undefined) throw new Error(`the view ${name} is not replayed`)
    return file.database
  }

  /** Throws the files away. Idempotent. */
  async close(): Promise<void> {
    for (const file of this.#files) {
      file.close()
      await removeLargeDatabase(file.path)
    }
  }
}
