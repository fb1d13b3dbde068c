/** What a step should do to an account, and what should be answered. */
import type { Answer, AskedStep } from './asked-steps.ts'
import type { ReferenceAccount } from './reference-account.ts'
import type { Outcome } from './reference-funds.ts'
import type { World } from './world.ts'

export function expected(
  world: World,
  real: ReferenceAccount,
  concrete: AskedStep,
  { id }: Answer,
): Outcome {
  const { step, requestId, grantIndex, expiresAt, price, at } = concrete
  const model = 'isTrial' in step && step.isTrial ? real.copy() : real
  const keyOf = (key: number | null) => (key === null ? null : `key-${key}`)
  switch (step.type) {
    case 'grant': {
      const { amount, category, priority } = step
      const reference = step.reference === null ? null : `payment-${step.reference}`
      return model.grant(
        { id, amount, category, priority, expiresAt, reference, key: keyOf(step.key) },
        at,
      )
    }
    case 'accept': {
      const { prompt, outputMax } = step
      return model.accept(requestId, { prompt, outputMax, key: keyOf(step.key), price }, at)
    }
    case 'settle': {
      const expected = model.settle(requestId, step.tokens, at)
      // It is answered with what was recorded, and not whether it is new.
      return expected.done ? { ...expected, isNew: true } : expected
    }
    case 'fail': {
      const expected = model.end(requestId)
      return expected.done ? { ...expected, isNew: true } : expected
    }
    case 'abandon': {
      const expected = model.end(requestId)
      return expected.done ? expected : { done: true, isNew: false, amount: 0n }
    }
    case 'void':
      return model.voidGrant(grantIndex, keyOf(step.key), at)
    case 'refund':
      return model.refund(
        requestId,
        { amount: step.amount, key: keyOf(step.key), refundId: id },
        at,
      )
    case 'adjust': {
      const { amount, category } = step
      return model.adjust({ amount, category, key: keyOf(step.key), id }, at)
    }
    case 'close':
      return model.close({ remainder: step.remainder, key: keyOf(step.key) }, at)
    case 'freeze':
      return model.change('freeze', `${step.isOn}`, null)
    case 'policy':
      return model.change('policy', step.policy, null)
    case 'list':
      return expectedList(world, model, step.isOwn)
    case 'erase':
      model.erase()
      return { done: true, isNew: true, amount: 0n }
  }
}

/** A list without any price may be a typing error. */
function expectedList(world: World, model: ReferenceAccount, isOwn: boolean): Outcome {
  const isThere = world.prices.some(({ list }) => list === world.list)
  if (isOwn && !isThere) return { done: false, code: 'invalid_value' }
  return model.change('list', isOwn ? world.list : 'default', null)
}
