/**
 * Selects the blocks of a prompt of which an index notes who holds them: the first four, because
 * system prompts end there, then every fourth, and the last. A worker that holds a block holds all
 * before it, so few notes tell of many blocks.
 */
import type { PrefixPlace } from '@svc/contracts/ports/prefix-index'

/** Blocks of a prompt of 32,768 tokens; those beyond are neither noted nor asked for. */
export const NOTED_CHAIN_BLOCKS_MAX = 256
const NOTE_EVERY_BLOCKS = 4
const NOTE_FIRST_BLOCKS = 4
/** Workers that are noted for one block: more would be no better a choice. */
export const HOLDERS_MAX = 16

/** @param names consecutive blocks of one prompt, the earliest first */
export function notedNames(names: readonly string[]): readonly string[] {
  const chain = names.slice(0, NOTED_CHAIN_BLOCKS_MAX)
  const isNoted = (count: number) =>
    count <= NOTE_FIRST_BLOCKS || count % NOTE_EVERY_BLOCKS === 0 || count === chain.length
  return chain.filter((_, at) => isNoted(at + 1))
}

/** Tells until when a worker is taken to hold a block, in milliseconds since 1970. */
export interface Holder {
  readonly instanceId: string
  readonly untilMs: number
}

/**
 * Tells who holds how many leading blocks: the most first, and of equals who was noted last.
 *
 * @param holdersOf for each block of a prompt, the earliest first
 */
export function placesOf(holdersOf: readonly (readonly Holder[])[]): readonly PrefixPlace[] {
  const places = new Map<string, { blocks: number; untilMs: number }>()
  for (const [index, holders] of holdersOf.entries()) {
    for (const { instanceId, untilMs } of holders) {
      places.set(instanceId, { blocks: index + 1, untilMs })
    }
  }
  return [...places]
    .sort(([, a], [, b]) => b.blocks - a.blocks || b.untilMs - a.untilMs)
    .map(([instanceId, { blocks }]) => ({ instanceId, blocks }))
}
