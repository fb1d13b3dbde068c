/** Blocks in groups of a bounded size: each goes over the connection in one piece. */

/**
 * The bounds of a group: small blocks are not one call for each, and what a group may come to is
 * limited.
 */
const GROUP_BLOCKS_MAX = 64

/** @returns consecutive groups; a block larger than the bound stands alone */
export function groupsOf<Block extends { readonly size: number }>(
  blocks: readonly Block[],
  bytesMax: number,
): readonly (readonly Block[])[] {
  const groups: Block[][] = []
  let freeBytes = 0
  for (const block of blocks) {
    const current = groups.at(-1)
    if (current !== undefined && block.size <= freeBytes && current.length < GROUP_BLOCKS_MAX) {
      current.push(block)
      freeBytes -= block.size
    } else {
      groups.push([block])
      freeBytes = bytesMax - block.size
    }
  }
  return groups
}
