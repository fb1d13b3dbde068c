/**
 * Any event that the schemas allow, for property tests. A type without an arbitrary does not
 * compile.
 */
import fc from 'fast-check'
import {
  chargeRules,
  finishReasons,
  promptSchedules,
  remainders,
  spendPolicies,
  wireFormats,
} from '../src/events/account.ts'
import { adminRoles } from '../src/events/admin-tokens.ts'
import { signInWays } from '../src/events/audit.ts'
import type { DomainEvent } from '../src/events/storage/codec.ts'
import { accountRoles, linkKinds, platformRoles } from '../src/events/users.ts'
import { tokenClasses } from '../src/tokens.ts'

type DataOf<T extends DomainEvent['type']> = Extract<DomainEvent, { type: T }>['data']

const text = fc.string({ unit: 'binary', maxLength: 40 })
const fieldName = fc.stringMatching(/^[a-z][a-z_]{0,20}$/)
const timeMs = fc.nat({ max: Number.MAX_SAFE_INTEGER })
const count = fc.nat({ max: 1_000_000_000 })
const milliseconds = fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0)
const nullable = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null })

/** Any amount that can be stored, debts included. */
const amount = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })
/** Pico-dollars per token, from free to $1,000,000 per million tokens. */
const perToken = fc.bigInt({ min: 0n, max: 10n ** 12n })

export const rates = fc
  .record({ input: perToken, output: perToken, cachedPercent: fc.bigInt({ min: 0n, max: 100n }) })
  .map(({ input, output, cachedPercent }) => ({
    input,
    cachedInput: (input * cachedPercent) / 100n,
    output,
  }))

export const tokenCounts = fc.record({
  inputTokens: count,
  cachedInputTokens: count,
  outputTokens: count,
})

const price = fc.tuple(text, rates).map(([version, perClass]) => ({ version, ...perClass }))
const reasonOf = { reason: text, at: timeMs }
const change = { changeId: text, ...reasonOf }
const slices = fc.array(fc.record({ grantId: text, amount }), { maxLength: 5 })
/** Without `__proto__`, which JSON cannot bring back as a name of its own. */
const metadata = fc.dictionary(
  text.filter((name) => name !== '__proto__'),
  text,
  { maxKeys: 3, noNullPrototype: true },
)

const metered = fc.record({
  requestId: text,
  inputTokens: count,
  cachedInputTokens: count,
  outputTokens: count,
  reasoningTokens: count,
  workerId: text,
  cache: fc.record({
    schedule: nullable(fc.constantFrom(...promptSchedules)),
    reusedTokens: count,
    blocks: count,
    source: fc.constantFrom('none', 'l1', 'l2'),
    lastBlockHash: nullable(text),
    evaluatedTokens: count,
  }),
  finishReason: fc.constantFrom(...finishReasons),
  rule: fc.constantFrom(...chargeRules),
  latencies: fc.record({
    queueMs: milliseconds,
    prefillMs: milliseconds,
    firstTokenMs: nullable(milliseconds),
    totalMs: milliseconds,
  }),
  at: timeMs,
})

const costLine = fc.record({
  class: fc.constantFrom(...tokenClasses),
  tokens: count,
  price: perToken,
  amount,
})

const dataArbitraries: { [T in DomainEvent['type']]: fc.Arbitrary<DataOf<T>> } = {
  AccountOpened: fc.record({
    accountId: text,
    name: text,
    currency: fc.constant('USD'),
    spendPolicy: fc.constantFrom(...spendPolicies),
    externalId: nullable(text),
    metadata,
    at: timeMs,
  }),
  PriceListSet: fc.record({ priceList: text, at: timeMs }),
  AccountRenamed: fc.record({ name: text, ...change }),
  SpendPolicySet: fc.record({
    spendPolicy: fc.constantFrom(...spendPolicies),
    changeId: nullable(text),
    reason: nullable(text),
    at: timeMs,
  }),
  AccountFrozen: fc.record(change),
  AccountUnfrozen: fc.record(change),
  AccountClosed: fc.record({
    ...change,
    remainder: fc.constantFrom(...remainders),
    amount,
    slices,
    paidDebt: amount,
    reference: nullable(text),
    balanceAfter: amount,
  }),
  ApiKeyCreated: fc.record({
    keyId: text,
    name: text,
    secretHash: text,
    lastFour: text,
    expiresAt: nullable(timeMs),
    externalId: nullable(text),
    metadata,
    at: timeMs,
  }),
  TextsErased: fc.record(change),
  ApiKeyRenamed: fc.record({ keyId: text, name: text, ...change }),
  ApiKeyExpirySet: fc.record({ keyId: text, expiresAt: timeMs, ...change }),
  ApiKeyRevoked: fc.record({ keyId: text, ...reasonOf }),
  CreditGranted: fc.record({
    grantId: text,
    amount,
    category: fc.constantFrom('paid', 'promotional'),
    priority: fc.nat({ max: 1000 }),
    expiresAt: nullable(timeMs),
    reference: nullable(text),
    reason: text,
    changeId: nullable(text),
    paidDebt: amount,
    balanceAfter: amount,
    at: timeMs,
  }),
  CreditExpired: fc.record({ grantId: text, amount, balanceAfter: amount, at: timeMs }),
  GrantVoided: fc.record({
    ...change,
    grantId: text,
    amount,
    slices,
    debt: amount,
    reference: nullable(text),
    balanceAfter: amount,
  }),
  CreditRefunded: fc.record({
    refundId: text,
    requestId: text,
    amount,
    refundedBefore: amount,
    paidDebt: amount,
    slices,
    credit: amount,
    reference: nullable(text),
    balanceAfter: amount,
    ...reasonOf,
  }),
  BalanceAdjusted: fc.record({
    adjustmentId: text,
    amount,
    paidDebt: amount,
    credit: amount,
    slices,
    debt: amount,
    category: fc.constantFrom('paid', 'promotional'),
    correction: nullable(fc.record({ runId: text, price, from: timeMs, to: timeMs })),
    reference: nullable(text),
    balanceAfter: amount,
    ...reasonOf,
  }),
  RequestAccepted: fc.record({
    requestId: text,
    keyId: text,
    gatewayId: text,
    format: fc.constantFrom(...wireFormats),
    model: text,
    price,
    promptTokens: count,
    maxOutputTokens: count,
    hold: amount,
    underHeld: fc.boolean(),
    idempotency: nullable(fc.record({ keyHash: text, bodyHash: text })),
    deadline: timeMs,
    at: timeMs,
  }),
  TokensMetered: metered,
  CreditDebited: fc.record({
    requestId: text,
    amount,
    lines: fc.array(costLine, { minLength: 3, maxLength: 3 }),
    slices,
    debt: amount,
    balanceAfter: amount,
    at: timeMs,
  }),
  RequestFailed: fc.record({ requestId: text, ...reasonOf }),
  RequestAbandoned: fc.record({ requestId: text, ...reasonOf }),
  PricePublished: fc.record({
    model: text,
    priceList: text,
    price,
    effectiveFrom: timeMs,
    at: timeMs,
  }),
  PriceWithdrawn: fc.record({ version: text, ...reasonOf }),
  PriceCorrected: fc.record({
    correction: fc.record({ runId: text, price, from: timeMs, to: timeMs }),
    ...reasonOf,
  }),
  AdminTokenCreated: fc.record({
    tokenId: text,
    name: text,
    role: fc.constantFrom(...adminRoles),
    secretHash: text,
    lastFour: text,
    expiresAt: nullable(timeMs),
    at: timeMs,
  }),
  AdminTokenRevoked: fc.record({ tokenId: text, ...reasonOf }),
  RecordsRead: fc.record({
    operation: text,
    subject: fc.dictionary(fieldName, nullable(text), { maxKeys: 4 }),
    at: timeMs,
  }),
  CheckpointSigned: fc.record({ note: text, at: timeMs }),
  LogVerified: fc.record({
    position: fc.nat().map(String),
    from: nullable(fc.nat().map(String)),
    streams: fc.nat(),
    events: fc.nat(),
    head: nullable(text),
    anchor: nullable(fc.constantFrom('holds', 'cut', 'differs')),
    found: fc.record({
      broken: fc.nat(),
      unreadable: fc.nat(),
      setAside: fc.nat(),
      contradicted: fc.nat(),
      missingPositions: fc.nat(),
      textsAltered: fc.nat(),
      textsMissing: fc.nat(),
      textsUnfinished: fc.nat(),
    }),
    at: timeMs,
  }),
  SubjectTextsErased: fc.record({ subject: text, ...change }),
  UserSignedIn: fc.record({ userId: text, way: fc.constantFrom(...signInWays), at: timeMs }),
  UserSignedOut: fc.record({ userId: text, at: timeMs }),
  SignInsRefused: fc.record({
    userId: nullable(text),
    count: fc.integer({ min: 1, max: 1_000 }),
    since: timeMs,
    at: timeMs,
  }),
  PasskeyAdded: fc.record({ userId: text, passkeyId: text, at: timeMs }),
  PasskeyRemoved: fc.record({ userId: text, passkeyId: text, at: timeMs }),
  IdentityLinked: fc.record({ userId: text, issuer: text, at: timeMs }),
  IdentityUnlinked: fc.record({ userId: text, issuer: text, at: timeMs }),
  LinkIssued: fc.record({
    linkId: text,
    kind: fc.constantFrom(...linkKinds),
    secretHash: text,
    platformRole: nullable(fc.constantFrom(...platformRoles)),
    accountId: nullable(text),
    accountRole: nullable(fc.constantFrom(...accountRoles)),
    userId: nullable(text),
    expiresAt: timeMs,
    at: timeMs,
  }),
  LinkUsed: fc.record({ linkId: text, userId: text, at: timeMs }),
  LinkRevoked: fc.record({ linkId: text, at: timeMs }),
  UserJoined: fc.record({ userId: text, at: timeMs }),
  PlatformRoleSet: fc.record({
    userId: text,
    role: nullable(fc.constantFrom(...platformRoles)),
    at: timeMs,
  }),
  MembershipSet: fc.record({
    userId: text,
    accountId: text,
    role: nullable(fc.constantFrom(...accountRoles)),
    at: timeMs,
  }),
  PasswordSet: fc.record({ userId: text, at: timeMs }),
  UserStatusSet: fc.record({
    userId: text,
    status: fc.constantFrom('active', 'disabled', 'erased'),
    at: timeMs,
  }),
}

export const eventTypes = Object.keys(dataArbitraries) as readonly DomainEvent['type'][]

/** Any event of one type. */
export function anyEventOf(type: DomainEvent['type']): fc.Arbitrary<DomainEvent> {
  const data: fc.Arbitrary<DomainEvent['data']> = dataArbitraries[type]
  return data.map((value) => ({ type, data: value }) as DomainEvent)
}
