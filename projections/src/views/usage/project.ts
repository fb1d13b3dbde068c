/** Adds up what every key used, and what moved the balance of every account, by quarter hours. */
import { QUARTER_MS } from '@svc/contracts/zone'
import type { DecodedEvent, StoredData } from '../../projection/decode.ts'
import { actorOf } from '../actor.ts'
import { type Movement, type MovementKind, movementOf } from '../movement.ts'
import type { NumberedTuples } from '../numbered-tuples.ts'
import { statusAfter } from '../requests/recorded-request.ts'
import type { TouchedRows } from '../touched-rows.ts'
import type { AccountUsage } from './account-usage.ts'
import type { Totals } from './totals.ts'
import { addUsed, nothingUsed, type Used } from './used.ts'

/** The last movement that is in a row. */
interface LastMovement {
  at: number
  /** The revision in the stream of the account: of two movements the later one has the higher. */
  revision: number
  balance: string
}

/** The usage of a series up to the end of a quarter. */
export interface UsageTotal extends LastMovement, Used {
  readonly series: number
  /** The number of the quarter since 1970; 0 before the first debit. */
  quarter: number
  lastUsedAt: number
}

export interface MovementTotal extends LastMovement, Record<MovementKind, bigint> {
  readonly accountId: string
  quarter: number
}

export interface KeyState {
  readonly keyId: string
  readonly accountId: string
  name: string
  readonly lastFour: string
  readonly createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  /** The actor of its event; null where none is told. */
  readonly createdBy: string | null
}

export interface RunningSeries {
  readonly requestId: string
  readonly series: number
  /** The status that the request will have when it is debited, which its meter tells. */
  status: EndedStatus
}

export const endedStatuses = ['finished', 'stopped', 'failed', 'abandoned'] as const
export type EndedStatus = (typeof endedStatuses)[number]

/** Lets requests of a series be listed by what became of them. */
export interface EndedRequest extends Readonly<RunningSeries> {}

export interface UsageRows {
  readonly series: NumberedTuples
  readonly usage: Totals<number, UsageTotal>
  readonly accountUsage: Totals<string, AccountUsage>
  readonly movements: Totals<string, MovementTotal>
  readonly keys: TouchedRows<KeyState>
  readonly running: TouchedRows<RunningSeries>
  readonly ended: { add(request: EndedRequest): void }
  readonly endedTotals: { add(request: EndedRequest, used: Used): void }
  /** The time of the account's last movement, moved on to a later one. */
  advance(accountId: string, at: number): number
}

export function projectUsage(rows: UsageRows, decoded: DecodedEvent): void {
  const { event, accountId } = decoded
  switch (event.type) {
    case 'RequestAccepted':
      accepted(rows, accountId, event.data)
      break
    case 'CreditDebited':
      debited(rows, decoded, event.data)
      break
    case 'TokensMetered':
      rows.running.change(event.data.requestId).status = statusAfter(event.data.finishReason)
      break
    case 'RequestFailed':
      ended(rows, event.data.requestId, 'failed')
      break
    case 'RequestAbandoned':
      ended(rows, event.data.requestId, 'abandoned')
      break
    case 'ApiKeyCreated': {
      const { keyId, name, lastFour, expiresAt, at: createdAt } = event.data
      rows.keys.add(keyId, {
        keyId,
        accountId,
        name,
        lastFour,
        createdAt,
        expiresAt,
        revokedAt: null,
        createdBy: actorOf(decoded.recorded.metadata),
      })
      break
    }
    case 'ApiKeyRenamed':
      rows.keys.change(event.data.keyId).name = event.data.name
      break
    case 'ApiKeyExpirySet':
      rows.keys.change(event.data.keyId).expiresAt = event.data.expiresAt
      break
    case 'ApiKeyRevoked':
      rows.keys.change(event.data.keyId).revokedAt = event.data.at
      break
    default: {
      const movement = movementOf(event)
      if (movement !== undefined) moved(rows, decoded, event.data.at, movement)
    }
  }
}

/** A key is used as soon as a request of it is accepted, whatever becomes of the request. */
function accepted(
  rows: UsageRows,
  accountId: string,
  { requestId, keyId, model, format, at }: StoredData<'RequestAccepted'>,
): void {
  const series = rows.series.numberOf(accountId, keyId, model, format)
  rows.running.add(requestId, { requestId, series, status: 'finished' })
  const total = rows.usage.change(series)
  total.lastUsedAt = Math.max(total.lastUsedAt, at)
}

function debited(
  rows: UsageRows,
  { recorded, accountId }: DecodedEvent,
  { requestId, lines, balanceAfter, at: debitedAt }: StoredData<'CreditDebited'>,
): void {
  const running = rows.running.remove(requestId)
  if (running === undefined) throw new Error(`${requestId} was debited but never accepted`)
  const [input, cachedInput, output] = lines
  if (input === undefined || cachedInput === undefined || output === undefined) {
    throw new Error(`the debit of ${requestId} lacks a class of tokens`)
  }
  const at = rows.advance(accountId, debitedAt)
  const total = rows.usage.changeIn(running.series, quarterOf(at))
  total.at = at
  total.revision = recorded.revision
  total.balance = balanceAfter
  const used: Used = {
    requests: 1,
    inputTokens: input.tokens,
    cachedInputTokens: cachedInput.tokens,
    outputTokens: output.tokens,
    inputAmount: BigInt(input.amount),
    cachedInputAmount: BigInt(cachedInput.amount),
    outputAmount: BigInt(output.amount),
  }
  addUsed(total, used)
  addUsed(rows.accountUsage.changeIn(accountId, quarterOf(at)), used)
  rows.ended.add(running)
  rows.endedTotals.add(running, used)
}

/** A failure that follows a debit only says why: the request has ended with the debit. */
function ended(rows: UsageRows, requestId: string, status: EndedStatus): void {
  const running = rows.running.remove(requestId)
  if (running === undefined) return
  const request = { ...running, status }
  rows.ended.add(request)
  rows.endedTotals.add(request, { ...nothingUsed(), requests: 1 })
}

function moved(
  rows: UsageRows,
  { recorded, accountId }: DecodedEvent,
  movedAt: number,
  { kind, amount, balance }: Movement,
): void {
  const at = rows.advance(accountId, movedAt)
  const total = rows.movements.changeIn(accountId, quarterOf(at))
  total.at = at
  total.revision = recorded.revision
  total.balance = balance
  total[kind] += BigInt(amount)
}

function quarterOf(timeMs: number): number {
  return Math.floor(timeMs / QUARTER_MS)
}
