/** A block as the memory store keeps it, and what it weighs there. */
import type { PrefixBlock } from '@svc/contracts/ports/prefix-store'

/**
 * What a block takes beside the tokens and the bytes: its object, its names and its places in two
 * maps. It is an estimate on the safe side, so that many small blocks are bounded too.
 */
const BLOCK_OVERHEAD_BYTES = 512
/** A view is kept as it is while at most this share of its buffer belongs to others. */
const WASTE_SHARE_MAX = 1 / 16

/** Counts the store's bytes that keeping a block takes. */
export function storedBytes(block: PrefixBlock): number {
  return block.bytes.byteLength + block.tokens.byteLength + BLOCK_OVERHEAD_BYTES
}

/** The block alone: of a large buffer that it may be a part of, all would be kept with it. */
export function detached({ name, parent, tokens, bytes }: PrefixBlock): PrefixBlock {
  return {
    name,
    parent,
    tokens: isPartOfMore(tokens) ? tokens.slice() : tokens,
    bytes: isPartOfMore(bytes) ? new Uint8Array(bytes) : bytes,
  }
}

function isPartOfMore(view: Int32Array | Uint8Array): boolean {
  return view.byteLength < view.buffer.byteLength * (1 - WASTE_SHARE_MAX)
}
