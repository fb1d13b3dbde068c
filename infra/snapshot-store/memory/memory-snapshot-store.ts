/** Snapshots in memory, for tests and as the smallest example of an adapter. */
import type { KnownHead, Snapshot, SnapshotStore } from '@svc/contracts/ports/snapshot-store'

export class MemorySnapshotStore implements SnapshotStore {
  readonly #snapshots = new Map<string, Snapshot>()

  load(stream: string): Snapshot | undefined {
    return this.#snapshots.get(stream)
  }

  heads(after: string, limit: number): readonly KnownHead[] {
    return [...this.#snapshots.values()]
      .filter(({ stream }) => stream > after)
      .toSorted((one, other) => (one.stream < other.stream ? -1 : 1))
      .slice(0, limit)
      .map(({ stream, head }) => ({ stream, head }))
  }

  save(snapshot: Snapshot): boolean {
    this.#snapshots.set(snapshot.stream, snapshot)
    return true
  }

  clear(): void {
    this.#snapshots.clear()
  }

  close(): void {
    this.clear()
  }
}
