/** Builds views on the thread that serves, in steps of the pace. */
import { removeDatabase, removeLargeDatabase } from '../file/view-database.ts'
import { ViewFile } from '../file/view-file.ts'
import { foldLog } from '../fold-log.ts'
import type { LiveView } from '../live-view.ts'
import { findDifferences } from './compare.ts'
import {
  type BuildPorts,
  besidePath,
  type FoldBeside,
  type ViewComparison,
  type ViewsBeside,
} from './views-beside.ts'

export class ViewsBesideHere implements ViewsBeside {
  readonly #build: BuildPorts
  readonly #files = new Map<string, ViewFile>()

  constructor(views: readonly LiveView[], build: BuildPorts) {
    this.#build = build
    for (const { name, file } of views) {
      removeDatabase(besidePath(file))
      this.#files.set(name, new ViewFile(file.projection, besidePath(file), build.ports))
    }
  }

  async fold({ names, until, onBatch, onFolded, onPassedOver }: FoldBeside): Promise<void> {
    const folded = names ?? [...this.#files.keys()]
    const build = { ...this.#build, ...(onBatch && { onBatch }), onPassedOver }
    await foldLog(
      folded.map((name) => this.#file(name)),
      until,
      build,
      (file) => onFolded?.(file.folded, folded),
    )
  }

  async compare({ name, file }: LiveView): Promise<ViewComparison> {
    const built = this.#file(name)
    const snapshot = await this.#build.runner.betweenDeliveries(() => file.openSnapshot())
    try {
      await this.fold({ until: snapshot.checkpoint.position, names: [name] })
      built.commit()
      const { projection, database } = built
      const live = snapshot.database
      const differences = await findDifferences(projection, live, database, this.#build)
      return { name, events: built.folded.events, differences }
    } finally {
      snapshot.close()
    }
  }

  prepare(name: string): Promise<void> {
    return this.#file(name).prepare(this.#build.pace)
  }

  async replace({ name, file }: LiveView): Promise<{ readonly freed: Promise<void> }> {
    const built = this.#file(name)
    await built.complete()
    this.#build.signal.throwIfAborted()
    return file.replaceBy(built.path)
  }

  async close(): Promise<void> {
    for (const built of this.#files.values()) {
      built.close()
      await removeLargeDatabase(built.path)
    }
  }

  #file(name: string): ViewFile {
    const file = this.#files.get(name)
    if (file === undefined) throw new Error(`the view ${name} is not built here`)
    return file
  }
}
