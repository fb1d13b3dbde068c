/**
 * A shared index with this gateway's own behind it: every note goes to both, and what either of
 * them knows is found. So losing the shared one never costs more than never having had it, and
 * nothing has to be switched: the shared one counts again as soon as it answers.
 */
import type { PrefixIndex, PrefixPlace } from '@svc/contracts/ports/prefix-index'
import { HOLDERS_MAX } from './noted-blocks.ts'

export interface FallbackPrefixIndexOptions {
  /** Fails fast and bounds its calls: nobody here waits for its notes. Closed with this index. */
  readonly shared: PrefixIndex
  /** Answers at once. Closed with this index. */
  readonly local: PrefixIndex
}

export class FallbackPrefixIndex implements PrefixIndex {
  readonly #shared: PrefixIndex
  readonly #local: PrefixIndex

  constructor({ shared, local }: FallbackPrefixIndexOptions) {
    this.#shared = shared
    this.#local = local
  }

  /** The failures of the shared index. Without it this one still answers. */
  get failures(): number {
    return this.#shared.failures
  }

  /**
   * Notes the names in both indexes, without waiting for the shared one: while that hangs, notes
   * still go into the local one.
   */
  async note(instanceId: string, names: readonly string[]): Promise<void> {
    void this.#shared.note(instanceId, names)
    await this.#local.note(instanceId, names)
  }

  async find(names: readonly string[]): Promise<readonly PrefixPlace[]> {
    const [shared, local] = await Promise.all([this.#shared.find(names), this.#local.find(names)])
    return merged(shared, local)
  }

  async close(): Promise<void> {
    await Promise.all([this.#shared.close(), this.#local.close()])
  }
}

/**
 * Merges what both know: of an instance in both the longer prefix, and of equal prefixes the shared
 * index's first.
 */
function merged(
  shared: readonly PrefixPlace[],
  local: readonly PrefixPlace[],
): readonly PrefixPlace[] {
  const places = new Map<string, PrefixPlace>()
  for (const place of [...shared, ...local]) {
    const known = places.get(place.instanceId)
    if (known === undefined || known.blocks < place.blocks) places.set(place.instanceId, place)
  }
  return [...places.values()].sort((a, b) => b.blocks - a.blocks).slice(0, HOLDERS_MAX)
}
