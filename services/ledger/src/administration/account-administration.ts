/** The operator's changes as commands to the writers of the accounts. */
import { makeSecret } from '@svc/contracts/api-key'
import { hashSecret, lastFour, SECRET_RANDOM_BYTES } from '@svc/contracts/checked-secret'
import { ServiceError } from '@svc/contracts/errors'
import type { AccountEvent } from '@svc/contracts/events/account'
import type { IdSource } from '@svc/contracts/ids'
import type { PicoDollars } from '@svc/contracts/money'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock } from '@svc/contracts/ports/time'
import { DEFAULT_PRICE_LIST } from '@svc/contracts/price'
import type { RecordedCharges } from '@svc/contracts/recorded-charges'
import { type AccountState, grantOfReference } from '../account/state.ts'
import type { PriceBook } from '../pricing/price-book.ts'
import type { AccountWriters } from '../writer/account-writers.ts'
import { writeOffExpiredCredit } from '../writer/expired-credit.ts'
import { refuseUnopened } from '../writer/refusals.ts'
import type {
  Administration,
  AskedGrant,
  AskedMovement,
  Forget,
  Movement,
} from './administration.ts'
import { DerivedIds } from './derived-ids.ts'
import type { ErasureNotes } from './erasure-notes.ts'
import { TextErasures } from './text-erasures.ts'
import { type Command, WordedCommands } from './worded-commands.ts'

export interface AdministrationPorts {
  readonly writers: Pick<AccountWriters, 'of'>
  readonly prices: Pick<PriceBook, 'isInUse'>
  readonly charges: RecordedCharges
  readonly texts: TextStore
  readonly erasures: ErasureNotes
  readonly clock: Clock
  readonly ids: IdSource
  readonly randomBytes: (count: number) => Uint8Array
}

/** A command that moves the balance. */
interface MovementCommand {
  /** The id of the grant, refund, adjustment or run; where an account is closed, its own. */
  readonly id: string
  readonly command: Command
  /** The amount by which the command moved the balance where it had been carried out before. */
  readonly amountBefore: (state: AccountState) => PicoDollars
}

export class AccountAdministration implements Administration {
  readonly #ports: AdministrationPorts
  readonly #ids: DerivedIds
  readonly #commands: WordedCommands
  readonly #erasures: TextErasures

  constructor(ports: AdministrationPorts) {
    this.#ports = ports
    this.#ids = new DerivedIds(ports.ids)
    this.#commands = new WordedCommands(ports)
    this.#erasures = new TextErasures(ports)
  }

  async openAccount({
    name,
    spendPolicy = 'standard',
    externalId = null,
    metadata = {},
    idempotencyKey,
    actor,
  }: Parameters<Administration['openAccount']>[0]) {
    const accountId = this.#ids.account(externalId, idempotencyKey)
    const terms = { accountId, name, spendPolicy, externalId, metadata, actor }
    const created = await this.#change(accountId, (at) => ({ type: 'OpenAccount', ...terms, at }))
    return { accountId, created }
  }

  async grant(accountId: string, asked: AskedGrant): ReturnType<Administration['grant']> {
    const { grantId, command } = await this.#grantOf(accountId, asked)
    return { grantId, created: await this.#change(accountId, command) }
  }

  async previewGrant(accountId: string, asked: AskedGrant): Promise<Movement> {
    const { grantId, command } = await this.#grantOf(accountId, asked)
    const tried = { dryRun: true, actor: asked.actor }
    const amountBefore = ({ grants }: AccountState) => grants.get(grantId)?.amount ?? 0n
    return this.#move(accountId, tried, { id: grantId, command, amountBefore })
  }

  async #grantOf(accountId: string, { idempotencyKey, ...grant }: AskedGrant) {
    const { reference } = grant
    const derived = this.#ids.grant(accountId, reference, idempotencyKey)
    // A grant of an older program, whose id says nothing of the payment.
    const made = await this.#ports.writers
      .of(accountId)
      .ask((state) => (reference === null ? undefined : grantOfReference(state, reference)))
    const grantId = made?.grantId ?? derived
    const changeId =
      idempotencyKey === undefined ? null : this.#changeId(accountId, { idempotencyKey })
    const command: Command = (at) => ({ type: 'GrantCredit', ...grant, grantId, changeId, at })
    return { grantId, command }
  }

  async createKey(
    accountId: string,
    {
      name,
      expiresAt = null,
      externalId = null,
      metadata = {},
      idempotencyKey,
      actor,
    }: Parameters<Administration['createKey']>[1],
  ) {
    const keyId = this.#ids.apiKey(accountId, externalId, idempotencyKey)
    const secret = makeSecret(accountId, this.#ports.randomBytes(SECRET_RANDOM_BYTES))
    const shown = { secretHash: hashSecret(secret), lastFour: lastFour(secret) }
    const terms = { keyId, name, ...shown, expiresAt, externalId, metadata, actor }
    const created = await this.#change(accountId, (at) => ({ type: 'CreateApiKey', ...terms, at }))
    return { keyId, secret: created ? secret : null, created }
  }

  renameAccount(accountId: string, asked: Parameters<Administration['renameAccount']>[1]) {
    const terms = this.#changeTerms(accountId, asked)
    return this.#change(accountId, (at) => ({ type: 'RenameAccount', ...terms, at }))
  }

  renameKey(accountId: string, asked: Parameters<Administration['renameKey']>[1]) {
    const terms = this.#changeTerms(accountId, asked)
    return this.#change(accountId, (at) => ({ type: 'RenameApiKey', ...terms, at }))
  }

  setKeyExpiry(accountId: string, asked: Parameters<Administration['setKeyExpiry']>[1]) {
    const terms = this.#changeTerms(accountId, asked)
    return this.#change(accountId, (at) => ({ type: 'SetApiKeyExpiry', ...terms, at }))
  }

  setSpendPolicy(accountId: string, asked: Parameters<Administration['setSpendPolicy']>[1]) {
    const terms = this.#changeTerms(accountId, asked)
    return this.#change(accountId, (at) => ({ type: 'SetSpendPolicy', ...terms, at }))
  }

  async setPriceList(accountId: string, asked: Parameters<Administration['setPriceList']>[1]) {
    const { priceList } = asked
    if (priceList !== DEFAULT_PRICE_LIST && !(await this.#ports.prices.isInUse(priceList))) {
      const message = `There is no price on a list "${priceList}": publish one first.`
      throw new ServiceError('invalid_value', message, { param: 'price_list' })
    }
    return this.#change(accountId, (at) => ({ type: 'SetPriceList', ...asked, at }))
  }

  freeze(accountId: string, asked: Parameters<Administration['freeze']>[1]) {
    const terms = this.#changeTerms(accountId, asked)
    return this.#change(accountId, (at) => ({ type: 'FreezeAccount', ...terms, at }))
  }

  unfreeze(accountId: string, asked: Parameters<Administration['unfreeze']>[1]) {
    const terms = this.#changeTerms(accountId, asked)
    return this.#change(accountId, (at) => ({ type: 'UnfreezeAccount', ...terms, at }))
  }

  close(accountId: string, asked: Parameters<Administration['close']>[1]) {
    const terms = this.#changeTerms(accountId, asked)
    const command: Command = (at) => ({ type: 'CloseAccount', ...terms, at })
    return this.#move(accountId, asked, { id: accountId, command, amountBefore: () => 0n })
  }

  voidGrant(accountId: string, asked: Parameters<Administration['voidGrant']>[1]) {
    const { grantId } = asked
    const terms = this.#changeTerms(accountId, asked)
    const command: Command = (at) => ({ type: 'VoidGrant', ...terms, at })
    const amountBefore = ({ grants }: AccountState) => {
      const { amount = 0n, expired = 0n } = grants.get(grantId) ?? {}
      return expired - amount
    }
    return this.#move(accountId, asked, { id: grantId, command, amountBefore })
  }

  async refund(accountId: string, asked: Parameters<Administration['refund']>[1]) {
    const { requestId, amount, idempotencyKey, reference, reason, actor } = asked
    const { charge, correctionsSeen } = await this.#chargeOf(accountId, requestId)
    // A key stands for one refund of one request.
    const key = idempotencyKey === undefined ? undefined : `${requestId} ${idempotencyKey}`
    const refundId = this.#ids.ofKey('refund', accountId, key)
    const terms = { refundId, requestId, amount, charge, correctionsSeen, reference, reason, actor }
    const command: Command = (at) => ({ type: 'RefundRequest', ...terms, at })
    const amountBefore = ({ refunds }: AccountState) => {
      const known = [...charge.refunds, ...(refunds.get(requestId)?.refunds ?? [])]
      return known.find((refund) => refund.refundId === refundId)?.amount ?? 0n
    }
    return this.#move(accountId, asked, { id: refundId, command, amountBefore })
  }

  adjust(accountId: string, asked: Parameters<Administration['adjust']>[1]) {
    const { amount, category, idempotencyKey, reference, reason, actor } = asked
    const adjustmentId = this.#ids.ofKey('adj', accountId, idempotencyKey)
    const terms = { adjustmentId, amount, category, reference, reason, actor }
    const command: Command = (at) => ({ type: 'AdjustBalance', ...terms, at })
    const amountBefore = ({ adjustments }: AccountState) =>
      adjustments.get(adjustmentId)?.amount ?? 0n
    return this.#move(accountId, asked, { id: adjustmentId, command, amountBefore })
  }

  async correctPrice(accountId: string, asked: Parameters<Administration['correctPrice']>[1]) {
    const { due, correction, correctionsSeen, reference, reason, actor } = asked
    const adjustmentIds = this.#ids.ofRun(accountId, correction.runId)
    const terms = { due, correction, adjustmentIds, correctionsSeen, reference, reason, actor }
    const command: Command = (at) => ({ type: 'CorrectPrice', ...terms, at })
    const movement = { id: correction.runId, command, amountBefore: () => 0n }
    const { created } = await this.#move(accountId, asked, movement)
    return created
  }

  correctionsOf(accountId: string): ReturnType<Administration['correctionsOf']> {
    return this.#ports.writers.of(accountId).ask((state) => {
      const categories = new Map(
        [...state.grants.values()].map(({ grantId, category }) => [grantId, category]),
      )
      const adjustments = new Map(state.adjustments)
      return {
        priceCorrections: [...state.priceCorrections],
        correctionsMade: state.correctionsMade,
        categoryOf: (grantId) => categories.get(grantId) ?? 'paid',
        adjustedBy: (runId) => {
          const { paid, promotional } = this.#ids.ofRun(accountId, runId)
          const amountOf = (id: string) => adjustments.get(id)?.amount ?? 0n
          return { paid: amountOf(paid), promotional: amountOf(promotional) }
        },
      }
    })
  }

  async revokeKey(accountId: string, asked: Parameters<Administration['revokeKey']>[1]) {
    const command: Command = (at) => ({ type: 'RevokeApiKey', ...asked, at })
    return this.#commands.run(accountId, command, (events, { keys }) => {
      const revokedAt = keys.get(asked.keyId)?.revokedAt
      if (typeof revokedAt !== 'number') throw new Error(`${asked.keyId} was revoked and is not`)
      return { revokedAt, alreadyRevoked: events.length === 0 }
    })
  }

  async erase(accountId: string, asked: Parameters<Administration['erase']>[1]) {
    return this.#erasures.erase(accountId, { ...asked, changeId: this.#changeId(accountId, asked) })
  }

  finishErasures(forget?: Forget): Promise<number> {
    return this.#erasures.finish(forget)
  }

  /** The fields of a change as its command has them: with the id of its idempotency key. */
  #changeTerms<Asked extends Pick<AskedMovement, 'idempotencyKey' | 'dryRun'>>(
    accountId: string,
    { idempotencyKey, dryRun: _, ...terms }: Asked,
  ) {
    return { ...terms, changeId: this.#changeId(accountId, { idempotencyKey }) }
  }

  #changeId(
    accountId: string,
    { idempotencyKey }: { idempotencyKey?: string | undefined },
  ): string {
    return this.#ids.ofKey('chg', accountId, idempotencyKey)
  }

  /** @returns whether anything happened */
  #change(accountId: string, command: Command): Promise<boolean> {
    return this.#commands.run(accountId, command, (events) => events.length > 0)
  }

  async #move(
    accountId: string,
    { dryRun = false, actor }: Pick<AskedMovement, 'dryRun' | 'actor'>,
    movement: MovementCommand,
  ): Promise<Movement> {
    if (!dryRun) await writeOffExpiredCredit(this.#ports.writers.of(accountId), actor)
    const result = (events: readonly AccountEvent[], state: AccountState) =>
      movementOf(movement, events, state)
    return this.#commands.run(accountId, movement.command, result, dryRun)
  }

  async #chargeOf(accountId: string, requestId: string) {
    const writer = this.#ports.writers.of(accountId)
    const correctionsSeen = await writer.ask((state) => {
      refuseUnopened(state, accountId)
      return state.correctionsMade
    })
    const { lastPosition } = writer
    const charge =
      lastPosition === undefined
        ? undefined
        : await this.#ports.charges.find(accountId, requestId, lastPosition)
    if (charge === undefined) {
      const message = `The account has no request ${requestId}.`
      throw new ServiceError('not_found', message, { param: 'request_id' })
    }
    if (charge !== 'not_charged') return { charge, correctionsSeen }
    const message = `The request ${requestId} was not charged: it runs, or ended without a debit.`
    throw new ServiceError('conflict', message)
  }
}

function movementOf(
  { id, amountBefore }: MovementCommand,
  events: readonly AccountEvent[],
  state: AccountState,
): Movement {
  const moved = events.at(-1)
  if (moved === undefined || !('balanceAfter' in moved.data)) {
    const { balance } = state
    const amount = amountBefore(state)
    return { id, created: false, amount, balanceBefore: null, balanceAfter: balance }
  }
  const { balanceAfter } = moved.data
  const amount = moved.type === 'GrantVoided' ? -moved.data.amount : moved.data.amount
  return { id, created: true, amount, balanceBefore: balanceAfter - amount, balanceAfter }
}
