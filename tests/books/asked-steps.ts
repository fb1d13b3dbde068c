/** Steps with the ids of what they are about, and how they are asked for. */
import { ServiceError } from '@svc/contracts/errors'
import { formatExact, parseDollars } from '@svc/contracts/money'
import { ending, request } from '@svc/testing/ledger/open-ledger'
import { meter } from '@svc/testing/ledger/sample'
import type { Outcome } from './reference-funds.ts'
import type { AccountStep } from './steps.ts'
import type { Pair, Price, World } from './world.ts'

const reason = 'a test'

export interface AskedStep {
  readonly step: AccountStep
  readonly pair: Pair
  readonly gateway: number
  readonly requestId: string
  /** The place of a grant among those of the account. */
  readonly grantIndex: number
  readonly price: Price | null
  readonly at: number
  readonly expiresAt: number | null
}

export interface Answer {
  readonly outcome: Outcome
  /** The id of what was made. */
  readonly id: string
}

/** @returns undefined where there is nothing that the step could be about */
export function askedStep(world: World, step: AccountStep): AskedStep | undefined {
  const pair = world.pairs[step.account]
  if (pair === undefined) return undefined
  const { model } = pair
  const requestId =
    step.type === 'accept'
      ? world.gateway(step.gateway).ledger.newRequestId()
      : knownRequest(pair, step)
  if (requestId === undefined) return undefined
  if (step.type === 'void' && model.grants.length === 0) return undefined
  const grantIndex = step.type === 'void' ? step.which % model.grants.length : -1
  const endsIn = step.type === 'grant' ? step.endsIn : null
  const expiresAt = endsIn === null ? null : world.now + endsIn
  const { gateway } = step
  const price = world.priceFor(model)
  return { step, pair, gateway, requestId, grantIndex, price, at: world.now, expiresAt }
}

/** Mostly one that runs, or was charged where it is to be refunded. */
function knownRequest({ model }: Pair, step: AccountStep): string | undefined {
  const isOfRequest =
    step.type === 'settle' ||
    step.type === 'refund' ||
    step.type === 'fail' ||
    step.type === 'abandon'
  if (!isOfRequest) return ''
  const all = Object.keys(model.requests)
  const likely = step.type === 'refund' ? 'charged' : 'running'
  const some = all.filter((id) => model.requests[id]?.status === likely)
  const from = step.which % 4 === 0 || some.length === 0 ? all : some
  return from[step.which % from.length]
}

export async function ask(world: World, asked: AskedStep): Promise<Answer> {
  try {
    return (
      (await askOfRequest(world, asked)) ??
      (await askMovement(world, asked)) ??
      (await askChange(world, asked))
    )
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { outcome: { done: false, code: error.code }, id: '' }
  }
}

async function askOfRequest(world: World, asked: AskedStep): Promise<Answer | undefined> {
  const { step, pair, gateway, requestId } = asked
  const { accountId, keyId, model } = pair
  const { ledger } = world.gateway(gateway)
  switch (step.type) {
    case 'accept': {
      const { prompt: promptTokens, outputMax: maxOutputTokens, key } = step
      const idempotency = key === null ? null : { keyHash: `${key}`, bodyHash: 'b' }
      const limits = { requestId, promptTokens, maxOutputTokens, idempotency }
      // Where a gateway decides on what is past, `strict` may have settled for less.
      if (model.policy === 'strict') await ledger.lookAgain(accountId)
      const accepted = await ledger.accept(accountId, request({ ledger }, keyId, limits))
      await accepted.durable
      return { id: requestId, outcome: { done: true, isNew: true, amount: accepted.hold } }
    }
    case 'settle': {
      const { input: inputTokens, cached: cachedInputTokens, output: outputTokens } = step.tokens
      const reused = { reusedTokens: cachedInputTokens, evaluatedTokens: inputTokens }
      const cache = { ...meter().cache, ...reused }
      const end = ending(requestId, { inputTokens, cachedInputTokens, outputTokens, cache })
      const failure = step.fails ? 'worker_failed' : null
      const { amount } = await ledger.settle(accountId, { ...end, failure })
      return { id: '', outcome: { done: true, isNew: true, amount } }
    }
    case 'fail':
      await ledger.fail(accountId, requestId, 'broke')
      return changed(true)
    case 'abandon':
      return changed(await ledger.abandon(accountId, requestId, 'left'))
    default:
      return undefined
  }
}

async function askMovement(world: World, asked: AskedStep): Promise<Answer | undefined> {
  const { step, pair, gateway, requestId: request_id, grantIndex } = asked
  const { operations } = world.gateway(gateway)
  const { accountId: account_id, model } = pair
  if (step.type === 'grant') return askGrant(world, asked)
  if (!('isTrial' in step)) return undefined
  const terms = { account_id, reason, dry_run: step.isTrial, idempotency_key: keyOf(step.key) }
  switch (step.type) {
    case 'void': {
      const grant_id = model.grants[grantIndex]?.id ?? ''
      return moved(await operations.voidGrant({ ...terms, grant_id }))
    }
    case 'refund': {
      const amount = step.amount === null ? null : formatExact(step.amount)
      return moved(await operations.refund({ ...terms, request_id, amount }))
    }
    case 'adjust': {
      const { category } = step
      const amount = formatExact(step.amount)
      return moved(await operations.adjust({ ...terms, category, amount }))
    }
    case 'close':
      return moved(await operations.closeAccount({ ...terms, remainder: step.remainder }))
    default:
      return step satisfies never
  }
}

async function askGrant(
  world: World,
  { step, pair, gateway, expiresAt }: AskedStep,
): Promise<Answer | undefined> {
  if (step.type !== 'grant') return undefined
  const { operations } = world.gateway(gateway)
  const { category, priority, key, isTrial } = step
  const asked = {
    account_id: pair.accountId,
    amount: formatExact(step.amount),
    category,
    priority,
    reference: step.reference === null ? null : `payment-${step.reference}`,
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    reason,
    idempotency_key: keyOf(key),
  }
  if (isTrial) return moved(await operations.previewGrant(asked))
  const { grant_id: id, created: isNew } = await operations.grant(asked)
  return { id, outcome: { done: true, isNew, amount: step.amount } }
}

async function askChange(world: World, asked: AskedStep): Promise<Answer> {
  const { step, pair, gateway } = asked
  const { operations } = world.gateway(gateway)
  const { accountId: account_id } = pair
  const terms = { account_id, reason }
  switch (step.type) {
    case 'freeze': {
      const change = step.isOn
        ? await operations.freezeAccount(terms)
        : await operations.unfreezeAccount(terms)
      return changed(change.changed)
    }
    case 'policy': {
      const change = await operations.setSpendPolicy({ ...terms, spend_policy: step.policy })
      return changed(change.changed)
    }
    case 'list': {
      const price_list = step.isOwn ? world.list : 'default'
      return changed((await operations.setPriceList({ account_id, price_list })).changed)
    }
    case 'erase':
      await operations.eraseTexts(terms)
      return changed(true)
    default:
      throw new Error(`nobody asks for ${step.type}`)
  }
}

function keyOf(key: number | null): string | undefined {
  return key === null ? undefined : `key-${key}`
}

function moved({ id, created: isNew, amount }: { id: string; created: boolean; amount: string }) {
  return { id, outcome: { done: true, isNew, amount: parseDollars(amount) } } as const
}

function changed(isNew: boolean): Answer {
  return { id: '', outcome: { done: true, isNew, amount: 0n } }
}
