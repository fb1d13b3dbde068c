/** For tests: prompts of blocks. */
import { randomBytes } from 'node:crypto'
import { BLOCK_TOKENS_MAX, type PrefixBlock } from '@svc/contracts/ports/prefix-store'

export interface ChainShape {
  readonly blocks: number
  readonly blockBytes?: number
  /** The block that the chain goes on from. */
  readonly parent?: string | null
}

/** Makes consecutive blocks of one prompt, with names and contents of their own. */
export function makeChain({
  blocks,
  blockBytes = 1_000,
  parent = null,
}: ChainShape): readonly PrefixBlock[] {
  const chain: PrefixBlock[] = []
  for (let at = 0; at < blocks; at += 1) {
    chain.push({
      name: newName(),
      parent: chain.at(-1)?.name ?? parent,
      tokens: Int32Array.from(
        { length: BLOCK_TOKENS_MAX },
        (_, token) => at * BLOCK_TOKENS_MAX + token,
      ),
      bytes: new Uint8Array(randomBytes(blockBytes)),
    })
  }
  return chain
}

export function newName(): string {
  return randomBytes(16).toString('hex')
}

export function namesOf(blocks: readonly PrefixBlock[]): readonly string[] {
  return blocks.map(({ name }) => name)
}

/** Blocks with plain arrays, whatever views they are made of. */
export function plain(blocks: readonly PrefixBlock[]): readonly unknown[] {
  return blocks.map(({ name, parent, tokens, bytes }) => ({
    name,
    parent,
    tokens: [...tokens],
    bytes: Buffer.from(bytes).toString('hex'),
  }))
}
