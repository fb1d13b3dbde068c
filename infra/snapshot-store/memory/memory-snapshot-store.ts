/** Snapshots in memory, for tests and as the smallest example of an adapter. */
import type { Snapshot, SnapshotStore } from '@svc/ledger/ports'

export class MemorySnapshotStore implements SnapshotStore {
  readonly #snapshots = new Map<string, Snapshot>()

  load(stream: string): Snapshot | undefined {
    return this.#snapshots.get(stream)
  }

  save(snapshot: Snapshot): boolean {
    this.#snapshots.set(snapshot.stream, snapshot)
    return true
  }

  close(): void {
    this.#snapshots.clear()
  }
}
