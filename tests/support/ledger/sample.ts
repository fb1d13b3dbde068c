/** Events and commands with everything filled in: a test says only what it is about. */
import type {
  AcceptRequest,
  CreateApiKey,
  GrantCredit,
  OpenAccount,
  SettleRequest,
} from '@svc/contracts/commands'
import type { AccountEvent, AccountEventOf } from '@svc/contracts/events/account'
import { type IdKind, makeId } from '@svc/contracts/ids'
import type { PriceVersion } from '@svc/contracts/price'
import type { WorkerMeter } from '@svc/contracts/worker/protocol'
import { START_MS } from '../manual-time.ts'

/** The n-th id of its kind: the same in every run. */
export function sampleId(kind: IdKind, index: number): string {
  const random = Buffer.alloc(10)
  random.writeUInt32BE(index, 6)
  return makeId(kind, START_MS, random)
}

export const accountId = sampleId('acct', 1)
export const keyId = sampleId('key', 1)
export const gatewayId = sampleId('gw', 1)
export const requestId = (index: number): string => sampleId('req', index)
export const grantId = (index: number): string => sampleId('grant', index)

const base = { at: START_MS, actor: 'operator' }

/** 2, 1 and 3 pico-dollars per token: amounts that can be worked out in the head. */
export const price: PriceVersion = {
  version: sampleId('price', 1),
  input: 2n,
  cachedInput: 1n,
  output: 3n,
}

type DataOf<T extends AccountEvent['type']> = Partial<AccountEventOf<T>['data']>

export const opened = (fields: DataOf<'AccountOpened'> = {}): AccountEvent => ({
  type: 'AccountOpened',
  data: {
    accountId,
    name: 'an account',
    currency: 'USD',
    spendPolicy: 'standard',
    externalId: null,
    metadata: {},
    at: START_MS,
    ...fields,
  },
})

export const keyCreated = (fields: DataOf<'ApiKeyCreated'> = {}): AccountEvent => ({
  type: 'ApiKeyCreated',
  data: {
    keyId,
    name: 'a key',
    secretHash: 'a'.repeat(64),
    lastFour: 'wxyz',
    expiresAt: null,
    externalId: null,
    metadata: {},
    at: START_MS,
    ...fields,
  },
})

/** The first grant of an account, if nothing else is said. */
export const granted = (
  index: number,
  amount: bigint,
  fields: DataOf<'CreditGranted'> = {},
): AccountEvent => ({
  type: 'CreditGranted',
  data: {
    grantId: grantId(index),
    amount,
    category: 'paid',
    priority: 100,
    expiresAt: null,
    reference: null,
    reason: 'a payment',
    changeId: null,
    paidDebt: 0n,
    balanceAfter: amount,
    at: START_MS,
    ...fields,
  },
})

/** Holds its worst case, 50 pico-dollars at {@link price}, if nothing else is said. */
export const accepted = (index: number, fields: DataOf<'RequestAccepted'> = {}): AccountEvent => ({
  type: 'RequestAccepted',
  data: {
    requestId: requestId(index),
    keyId,
    gatewayId,
    format: 'chat',
    model: 'svc-beta',
    price,
    promptTokens: 10,
    maxOutputTokens: 10,
    hold: 50n,
    underHeld: false,
    idempotency: null,
    deadline: START_MS + 600_000,
    at: START_MS,
    ...fields,
  },
})

export const open = (fields: Partial<OpenAccount> = {}): OpenAccount => ({
  ...base,
  type: 'OpenAccount',
  accountId,
  name: 'an account',
  spendPolicy: 'standard',
  externalId: null,
  metadata: {},
  ...fields,
})

export const createKey = (fields: Partial<CreateApiKey> = {}): CreateApiKey => ({
  ...base,
  type: 'CreateApiKey',
  keyId,
  name: 'a key',
  secretHash: 'a'.repeat(64),
  lastFour: 'wxyz',
  expiresAt: null,
  externalId: null,
  metadata: {},
  ...fields,
})

export const grant = (
  index: number,
  amount: bigint,
  fields: Partial<GrantCredit> = {},
): GrantCredit => ({
  ...base,
  type: 'GrantCredit',
  grantId: grantId(index),
  amount,
  category: 'paid',
  priority: 100,
  expiresAt: null,
  reference: null,
  reason: 'a payment',
  changeId: null,
  ...fields,
})

/** 10 prompt tokens and at most 10 output tokens: at most 50 pico-dollars at {@link price}. */
export const accept = (index: number, fields: Partial<AcceptRequest> = {}): AcceptRequest => ({
  ...base,
  type: 'AcceptRequest',
  requestId: requestId(index),
  keyId,
  gatewayId,
  format: 'chat',
  model: 'svc-beta',
  price,
  promptTokens: 10,
  maxOutputTokens: 10,
  isStarted: false,
  idempotency: null,
  keysSearched: null,
  deadline: START_MS + 600_000,
  ...fields,
})

/** 10 computed prompt tokens and 10 output tokens: 50 pico-dollars at {@link price}. */
export const meter = (fields: Partial<WorkerMeter> = {}): WorkerMeter => ({
  inputTokens: 10,
  cachedInputTokens: 0,
  outputTokens: 10,
  reasoningTokens: 0,
  workerId: 'wrk_1',
  cache: {
    schedule: 'any-token',
    reusedTokens: 0,
    blocks: 0,
    source: 'none',
    lastBlockHash: null,
    evaluatedTokens: 10,
  },
  latencies: { queueMs: 1, prefillMs: 2, firstTokenMs: 3, totalMs: 4 },
  ...fields,
})

export const settle = (index: number, fields: Partial<SettleRequest> = {}): SettleRequest => ({
  ...base,
  type: 'SettleRequest',
  requestId: requestId(index),
  meter: meter(),
  finishReason: 'stop',
  rule: 'metered',
  failure: null,
  ...fields,
})
