import { expect, test } from 'vitest'
import { idKind } from './id-kind.ts'

test.each([
  ['acct_01k9', 'account'],
  ['key_01k9', 'key'],
  ['price_0001', 'price'],
  ['req_01k9', 'request'],
  ['chatcmpl-01k9', 'request'],
  ['resp_01k9', 'request'],
  ['msg_01k9', 'request'],
  ['call_01k9zq8y7t3v5x2w4r6p8n0m1k_0', 'request'],
  ['toolu_01k9zq8y7t3v5x2w4r6p8n0m1k_12', 'request'],
  ['rs_01k9zq8y7t3v5x2w4r6p8n0m1k_0', 'request'],
  ['msg_01k9zq8y7t3v5x2w4r6p8n0m1k_i0', 'request'],
  ['call_me', undefined],
  ['grant_01k9', 'movement'],
  ['adj_01k9', 'movement'],
  ['refund_01k9', 'movement'],
  ['tok_01k9', 'access'],
  ['usr_01k9', 'access'],
  ['link_01k9', 'access'],
  ['0d4c1fbe-9a71-8a5b-b3c1-24f1d0f6a0e2', 'event'],
  ['Zuse KG', undefined],
])('%s names: %s (UX-31)', (text, kind) => {
  expect(idKind(text)).toBe(kind)
})
