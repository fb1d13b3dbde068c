import type { Receipt } from '@svc/contracts/wire/billing'
import { expect, test } from 'vitest'
import { cacheFacts } from './cache-words.ts'

const last = '8f3a5b6c7d8e9f00112233445566778899aabbccddeeff00112233445566778899'
const usage = { input_tokens: 80, cached_input_tokens: 1920, output_tokens: 7, reasoning_tokens: 0 }
const evidence = {
  schedule: 'canonical-128',
  reused_tokens: 1920,
  blocks: 15,
  source: 'l1',
  last_block_hash: last,
  evaluated_tokens: 80,
  worker: 'worker-1',
} as const
const nothing = { blocks: 0, reused_tokens: 0, source: 'none', last_block_hash: null } as const

function receiptWith(fields: Partial<Receipt>): Receipt {
  return {
    object: 'request',
    id: 'req_1',
    status: 'finished',
    key_id: 'key_x',
    key_name: 'laptop',
    format: 'chat',
    model: 'svc-beta',
    usage,
    price: {
      version: 'price_1',
      input: '0.15',
      cached_input: '0.015',
      output: '0.60',
      effective_from: null,
    },
    lines: [],
    amount: '0.00',
    hold: '0.00',
    balance_after: null,
    grants: [],
    refunded: '0.00',
    refunds: [],
    finish_reason: 'stop',
    reason: null,
    events: [],
    cache: evidence,
    timings: { accepted_at: '2026-11-01T00:00:00.000Z', ended_at: null, worker: null },
    ...fields,
  }
}

test('reused blocks are told with their place, the last name, the witness, and what they saved', () => {
  expect(cacheFacts(receiptWith({}))).toEqual([
    ['worker', 'worker-1'],
    [
      'cache',
      '1,920 of 2,000 prompt tokens were not computed: 15 blocks from the memory of worker-1 ' +
        '(l1), last block 8f3a5b6c7d8e…; the runtime counted 80 computed',
    ],
    ['schedule', 'canonical-128'],
    ['saved', '0.0002592 USD against the price of computed tokens'],
  ])
})

test('blocks from Redis are told apart from those of the worker', () => {
  const cache = {
    ...evidence,
    blocks: 1,
    reused_tokens: 128,
    source: 'l2',
    last_block_hash: null,
  } as const
  const fewer = { ...usage, cached_input_tokens: 128 }
  const [, [, words] = []] = cacheFacts(receiptWith({ usage: fewer, cache }))
  expect(words).toContain('128 of 208 prompt tokens were not computed')
  expect(words).toContain('1 block from Redis (l2); the runtime')
})

test('tokens that end within the first block are part of one', () => {
  const cache = { ...evidence, blocks: 0, reused_tokens: 11, last_block_hash: null }
  const fewer = { ...usage, cached_input_tokens: 11 }
  const [, [, words] = []] = cacheFacts(receiptWith({ usage: fewer, cache }))
  expect(words).toContain('not computed: part of a block from the memory of worker-1 (l1); the')
})

test('a prompt that was computed whole saved nothing', () => {
  const cache = { ...evidence, ...nothing }
  const computed = { ...usage, cached_input_tokens: 0 }
  expect(cacheFacts(receiptWith({ usage: computed, cache }))).toEqual([
    ['worker', 'worker-1'],
    ['cache', 'the whole prompt was computed; the runtime counted 80 computed'],
    ['schedule', 'canonical-128'],
  ])
})

test('what is billed as cached without reused blocks is called the cheaper reading', () => {
  const cache = { ...evidence, ...nothing }
  const words = cacheFacts(receiptWith({ cache })).map(([, value]) => value)
  expect(words[1]).toContain('1,920 of 2,000 prompt tokens are billed as cached, the cheaper')
  expect(words[1]).not.toContain('not computed')
})

test('where the counts differ, both readings are told', () => {
  const cache = { ...evidence, blocks: 14, reused_tokens: 1792 }
  const [, [, words] = []] = cacheFacts(receiptWith({ cache }))
  expect(words).toContain('1,792 of 2,000 prompt tokens were not computed: 14 blocks')
  expect(words).toContain('; 128 of 2,000 prompt tokens are billed as cached, the cheaper reading')
})

test('the saving is exact to the last pico-dollar', () => {
  const price = {
    version: 'p',
    input: '0.000003',
    cached_input: '0.000001',
    output: '0.00',
    effective_from: null,
  }
  const one = { ...usage, cached_input_tokens: 1 }
  const facts = cacheFacts(receiptWith({ price, usage: one }))
  expect(facts.at(-1)).toEqual(['saved', '0.000000000002 USD against the price of computed tokens'])
})

test('a request without a meter has no evidence', () => {
  expect(cacheFacts(receiptWith({ cache: null }))).toEqual([])
})
