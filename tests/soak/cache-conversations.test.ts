import { BLOCK_TOKENS_MAX } from '@svc/contracts/ports/prefix-store'
import type { PromptMessage } from '@svc/contracts/worker/protocol'
import { describe, expect, test } from 'vitest'
import { type Conversation, conversationOf } from './cache-conversations.ts'

const CONVERSATIONS = 300

/** A token for each byte, and an answer that is always the same. */
async function prompts(conversation: Conversation): Promise<readonly (readonly number[])[]> {
  const tokenize = async (_tenant: string, messages: readonly PromptMessage[]) => [
    ...Buffer.from(messages.map(({ role, content }) => `${role}: ${content}\n`).join('')),
  ]
  const all: (readonly number[])[] = []
  for (let turn = 0; turn < conversation.turns; turn += 1) {
    all.push(await conversation.prompt(turn, tokenize))
    conversation.answered('so it is')
  }
  return all
}

const some = (seed: number) =>
  Array.from({ length: CONVERSATIONS }, (_, index) => conversationOf(seed, index))

describe('the conversations of the soak test', () => {
  test('are the same for the same seed, and others for another', async () => {
    const one = await prompts(conversationOf(7, 3))
    expect(await prompts(conversationOf(7, 3))).toEqual(one)
    expect(await prompts(conversationOf(8, 3))).not.toEqual(one)
    expect(await prompts(conversationOf(7, 4))).not.toEqual(one)
  })

  test('grow from turn to turn', async () => {
    for (const conversation of some(1)) {
      const [first, ...later] = await prompts(conversation)
      let before = first ?? []
      for (const prompt of later) {
        expect(prompt.slice(0, before.length)).toEqual(before)
        expect(prompt.length).toBeGreaterThan(before.length)
        before = prompt
      }
    }
  })

  test('have prompts that end around the end of a block, on each side of it', async () => {
    const ends = new Set<number>()
    for (const conversation of some(2)) {
      for (const prompt of await prompts(conversation)) ends.add(prompt.length % BLOCK_TOKENS_MAX)
    }
    for (const end of [BLOCK_TOKENS_MAX - 2, BLOCK_TOKENS_MAX - 1, 0, 1, 2])
      expect(ends).toContain(end)
  })

  test('begin alike across tenants, for whole blocks', async () => {
    const tenants = new Map<string, Set<string>>()
    for (const conversation of some(3)) {
      for (const prompt of await prompts(conversation)) {
        if (prompt.length < BLOCK_TOKENS_MAX) continue
        const beginning = prompt.slice(0, BLOCK_TOKENS_MAX).join()
        const known = tenants.get(beginning) ?? new Set()
        tenants.set(beginning, known.add(conversation.tenant))
      }
    }
    const shared = [...tenants.values()].filter(({ size }) => size > 1)
    expect(shared.length).toBeGreaterThan(3)
  })
})
