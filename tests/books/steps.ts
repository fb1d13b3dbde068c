/** What can happen to accounts: each step is as random as its fields, and says no id. */
import fc from 'fast-check'

const ACCOUNTS = 3

const account = fc.nat(ACCOUNTS - 1)
const gateway = fc.nat(1)
const key = fc.option(fc.nat(4), { freq: 2 })
const amount = fc.bigInt(1n, 90n)
const rates = fc
  .tuple(fc.bigInt(0n, 4n), fc.bigInt(0n, 4n), fc.bigInt(0n, 5n))
  .filter(([input, cached]) => cached <= input)
  .map(([input, cached, output]) => ({ input, cached, output }))
const category = fc.constantFrom('paid' as const, 'promotional' as const)
const which = fc.nat(30)
const on = { account, gateway }
/** Mostly not: a trial changes nothing. */
const seldom = fc.nat(5).map((at) => at === 0)
const inMs = fc.constantFrom(1, 3, 60, 1_000, 59_999, 60_000, 90_000, 3_600_000, 86_400_000)

const kind = <Name extends string>(name: Name) => fc.constant(name)

const grant = fc.record({
  ...on,
  type: kind('grant'),
  amount,
  category,
  key,
  reference: fc.option(fc.nat(5), { freq: 2 }),
  priority: fc.constantFrom(0, 100, 100, 101),
  endsIn: fc.option(inMs, { freq: 2 }),
  isTrial: seldom,
})
const accept = fc.record({
  ...on,
  type: kind('accept'),
  prompt: fc.nat(12),
  outputMax: fc.integer({ min: 1, max: 12 }),
  key,
})
const settle = fc.record({
  ...on,
  type: kind('settle'),
  which,
  tokens: fc.record({ input: fc.nat(14), cached: fc.nat(14), output: fc.nat(14) }),
  fails: seldom,
})
const end = fc.record({ ...on, type: fc.constantFrom('fail' as const, 'abandon' as const), which })
const voidGrant = fc.record({ ...on, type: kind('void'), which, key, isTrial: seldom })
const refund = fc.record({
  ...on,
  type: kind('refund'),
  which,
  key,
  isTrial: seldom,
  amount: fc.option(fc.bigInt(1n, 40n), { freq: 2 }),
})
const adjust = fc.record({
  ...on,
  type: kind('adjust'),
  amount: fc.bigInt(-60n, 60n),
  category,
  key,
  isTrial: seldom,
})
const close = fc.record({
  ...on,
  type: kind('close'),
  key,
  isTrial: seldom,
  remainder: fc.constantFrom('none' as const, 'paid_out' as const, 'written_off' as const),
})
const freeze = fc.record({ ...on, type: kind('freeze'), isOn: fc.boolean() })
const policy = fc.record({
  ...on,
  type: kind('policy'),
  policy: fc.constantFrom('standard' as const, 'strict' as const),
})
const list = fc.record({ ...on, type: kind('list'), isOwn: fc.boolean() })
const erase = fc.record({ ...on, type: kind('erase') })

const onAccount = fc.oneof(
  { weight: 6, arbitrary: grant },
  { weight: 12, arbitrary: accept },
  { weight: 11, arbitrary: settle },
  { weight: 2, arbitrary: end },
  { weight: 3, arbitrary: voidGrant },
  { weight: 8, arbitrary: refund },
  { weight: 4, arbitrary: adjust },
  { weight: 1, arbitrary: close },
  { weight: 1, arbitrary: freeze },
  { weight: 1, arbitrary: policy },
  { weight: 1, arbitrary: list },
  { weight: 1, arbitrary: erase },
)
export type AccountStep = typeof onAccount extends fc.Arbitrary<infer Step> ? Step : never

const publish = fc.record({
  type: kind('publish'),
  gateway,
  rates,
  startsIn: fc.option(inMs, { freq: 1 }),
})
const withdraw = fc.record({ type: kind('withdraw'), gateway, which })
const correct = fc.record({
  type: kind('correct'),
  gateway,
  rates,
  which,
  key: fc.nat(3),
  isTrial: seldom,
  from: fc.option(fc.nat(3), { freq: 1 }),
  to: fc.option(fc.nat(3), { freq: 1 }),
})
const wait = fc.record({ type: kind('wait'), byMs: inMs })
/** Several at once, on either gateway: they are decided in some order. */
const together = fc.record({
  type: kind('together'),
  account,
  steps: fc.array(onAccount, { minLength: 2, maxLength: 3 }),
})
/** The same once more, as a program does that missed the answer. */
const again = fc.record({ type: kind('again'), gateway, back: fc.nat(3) })
const restart = fc.record({
  type: kind('restart'),
  how: fc.constantFrom('with snapshots' as const, 'from the log alone' as const),
})
const look = fc.record({ type: kind('look') })

/** What an account begins with. */
const funded = grant.map((step) => ({ ...step, amount: step.amount * 5n, isTrial: false }))

const step = fc.oneof(
  { weight: 60, arbitrary: onAccount },
  { weight: 4, arbitrary: publish },
  { weight: 1, arbitrary: withdraw },
  { weight: 8, arbitrary: correct },
  { weight: 6, arbitrary: wait },
  { weight: 6, arbitrary: together },
  { weight: 5, arbitrary: again },
  { weight: 1, arbitrary: restart },
  { weight: 2, arbitrary: look },
)
export type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never

export const histories = fc.record({
  accounts: fc.constant(ACCOUNTS),
  policies: fc.array(fc.constantFrom('standard' as const, 'strict' as const), {
    minLength: ACCOUNTS,
    maxLength: ACCOUNTS,
  }),
  /** Whether everything is compared after every step: that books what has expired. */
  looks: fc.boolean(),
  tickMs: fc.constantFrom(1, 1, 0),
  /** Published before anything else. */
  prices: fc.array(rates, { maxLength: 2 }),
  funding: fc.array(funded, { maxLength: 4, size: 'max' }),
  steps: fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }),
})
export type History = typeof histories extends fc.Arbitrary<infer Each> ? Each : never
