/**
 * What the first start makes: for a newcomer a price, an account and a key, so that there is
 * something to call; in production nothing, or a price.
 */

import { DEMO_RATES } from '@svc/contracts/demo-price'
import { accountStream, DEFAULT_GRANT_PRIORITY } from '@svc/contracts/events/account'
import { FIRST_RUN_ACTOR, gatewayActor, initialPriceActor } from '@svc/contracts/events/actors'
import { decodeMetadata } from '@svc/contracts/events/codec'
import { pricingStream } from '@svc/contracts/events/pricing'
import { unreadableBecause } from '@svc/contracts/events/stored-event'
import { parseDollars } from '@svc/contracts/money'
import { type EventStore, type RecordedEvent, START } from '@svc/contracts/ports/event-store'
import { damageError, noQuarantine, type Quarantine } from '@svc/contracts/ports/quarantine'
import type { Rates } from '@svc/contracts/price'
import { MODEL } from '@svc/contracts/wire/models'
import type { DataFolder } from '../data-folder/data-folder.ts'
import type { Core } from './core.ts'

const DEMO_CREDIT = parseDollars('5.00')

/** Events that the first run itself wrote are among the first of the log. */
const FIRST_EVENTS = 100

export interface DemoAccount {
  /** Undefined for a ledger that was restored and holds no account. */
  readonly accountId: string | undefined
  /** The secret, on the run that made it; no later run can show it. */
  readonly apiKey: string | undefined
}

export interface FirstRun {
  /** `demo`: an account, credit and a key to try the service with. `empty`: none, ever. */
  readonly kind: 'demo' | 'empty'
  /** What the first price is; undefined: that of the bundled model for a demo, else none. */
  readonly price: Rates | undefined
}

export interface FirstRunPorts extends Pick<Core, 'ledger' | 'store' | 'place' | 'gatewayId'> {
  readonly quarantine?: Pick<Quarantine, 'find'>
}

/**
 * Makes what is missing, step by step, so that a first run that was killed half-way is finished by
 * the next. That a first run has begun is noted before anything is written to the ledger: a ledger
 * without that note was restored from a backup, or belongs to other gateways too, and is given
 * nothing. Of gateways that find a shared log empty at the same moment, the one whose price came
 * first makes the account. What kind of run the first was holds for ever: an empty one is not made
 * a demo by a later start that names none.
 */
export async function prepareFirstRun(
  { ledger, store, place, gatewayId, quarantine = noQuarantine }: FirstRunPorts,
  folder: DataFolder,
  asked: FirstRun,
): Promise<DemoAccount> {
  const done = folder.readFirstRun()
  if (done?.keyId !== undefined) return { accountId: done.accountId, apiKey: undefined }
  const written = await store.readAll({ after: START, limit: FIRST_EVENTS })
  const nothingMade = { accountId: accountOf(written.find(opensAccount)), apiKey: undefined }
  if (done === undefined) {
    if (written.length > 0) return nothingMade
    folder.writeFirstRun({ kind: asked.kind })
  }
  const kind = done === undefined ? asked.kind : (done.kind ?? 'demo')
  if (asked.price !== undefined) {
    const actor = initialPriceActor(gatewayId)
    const publishing = ledger.pricing.publishFirst({ model: MODEL, rates: asked.price, actor })
    await unlessDamaged(publishing, quarantine)
  } else if (kind === 'demo') {
    await unlessDamaged(
      ledger.pricing.publishFirst({ model: MODEL, rates: DEMO_RATES }),
      quarantine,
    )
  }
  if (kind === 'empty') return nothingMade
  if (place.kind !== 'sqlite' && !(await isFirstPriceOf(folder.readRuns(), store))) {
    return nothingMade
  }
  const begun = written.find((event) => opensAccount(event) && actorOf(event) === FIRST_RUN_ACTOR)
  const opened = { name: 'demo', actor: FIRST_RUN_ACTOR }
  const accountId = accountOf(begun) ?? (await ledger.administration.openAccount(opened)).accountId
  // Known by its reference: it is given once, however often it is asked for.
  await ledger.administration.grant(accountId, {
    amount: DEMO_CREDIT,
    category: 'promotional',
    priority: DEFAULT_GRANT_PRIORITY,
    expiresAt: null,
    reference: 'first-run',
    reason: 'credit to try the service with',
    actor: FIRST_RUN_ACTOR,
  })
  const { keyId, secret } = await ledger.administration.createKey(accountId, {
    name: 'demo',
    actor: FIRST_RUN_ACTOR,
  })
  folder.writeFirstRun({ kind, accountId, keyId })
  return { accountId, apiKey: secret ?? undefined }
}

/** @throws {DamagedStreamError} that names the stream, when no price can be published there */
async function unlessDamaged(
  publishing: Promise<unknown>,
  quarantine: Pick<Quarantine, 'find'>,
): Promise<void> {
  try {
    await publishing
  } catch (error) {
    const damage = quarantine.find(pricingStream)
    throw damage === undefined ? error : damageError(damage)
  }
}

/** Whether the first event of the price list was written by one of these gateways. */
async function isFirstPriceOf(
  gatewayIds: readonly string[],
  store: Pick<EventStore, 'readStream'>,
): Promise<boolean> {
  const [first] = await store.readStream({
    stream: pricingStream,
    direction: 'forwards',
    from: 0,
    limit: 1,
  })
  const actor = first && actorOf(first)
  return gatewayIds.some(
    (gatewayId) => actor === gatewayActor(gatewayId) || actor === initialPriceActor(gatewayId),
  )
}

/** Undefined for an event that somebody else wrote. */
function actorOf(event: RecordedEvent): string | undefined {
  return unreadableBecause(event) === undefined ? decodeMetadata(event).actor : undefined
}

function opensAccount({ type }: RecordedEvent): boolean {
  return type === 'AccountOpened'
}

function accountOf(opening: RecordedEvent | undefined): string | undefined {
  return opening?.stream.slice(accountStream('').length)
}
