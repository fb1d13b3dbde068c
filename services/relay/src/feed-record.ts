/**
 * An event of the ledger as it leaves the house.
 *
 *     key       the account's id; `pricing` for prices
 *     value     the data of the event, in its current version: JSON
 *     headers   id, type, schema-version, position, revision, hash, event-time, and low-balance
 *               where the event takes the balance below what was asked for
 *
 * What a person wrote about people never leaves. Events of today have words in its place
 * (`kept-text.ts`), which tell nothing. Fields in which an older event, or one that a program of
 * the operator wrote plainly, has a text itself say {@link WITHHELD}.
 */
import { accountOfStream } from '@svc/contracts/events/account'
import { decodeMetadata } from '@svc/contracts/events/codec'
import { pricingStream } from '@svc/contracts/events/pricing'
import { currentVersion, upcast } from '@svc/contracts/events/upcast'
import { readKeptText } from '@svc/contracts/kept-text'
import type { PicoDollars } from '@svc/contracts/money'
import type { BusRecord } from '@svc/contracts/ports/bus'
import type { RecordedEvent } from '@svc/contracts/ports/event-store'
import { lowBalanceAfter } from './low-balance.ts'

/** Stands where a text about people would be. */
export const WITHHELD = 'withheld'

/** Fields, at any depth, that a person has written. */
const FREE_TEXTS = new Set(['name', 'reason', 'reference', 'externalId', 'metadata'])
/** Matches stored data that may have texts; an escape may hide the name of a field. */
const MAY_HAVE_TEXTS = new RegExp(`"(?:${[...FREE_TEXTS].join('|')})"|\\\\`)

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/**
 * @param lowBalance the record says so when the event takes the balance below this amount;
 *   undefined: no record says so
 * @returns undefined for events that are not about money: users, admin tokens, what was read
 * @throws {RangeError} for an event of a newer program: update this one
 */
export function feedRecord(event: RecordedEvent, lowBalance?: PicoDollars): BusRecord | undefined {
  const key = feedKey(event.stream)
  if (key === undefined) return undefined
  const { schemaVersion } = decodeMetadata(event)
  const data = upcast(event.type, schemaVersion, JSON.parse(event.data)) as Record<string, Json>
  const isCurrent = schemaVersion === currentVersion(event.type)
  const shown = isCurrent && !MAY_HAVE_TEXTS.test(event.data) ? data : withoutTexts(data)
  const low = lowBalance === undefined ? undefined : lowBalanceAfter(event.type, data, lowBalance)
  const isAsStored = shown === data && isCurrent
  return {
    key,
    value: isAsStored ? event.data : JSON.stringify(shown),
    headers: {
      id: event.id,
      type: event.type,
      'schema-version': String(currentVersion(event.type)),
      position: String(event.position),
      revision: String(event.revision),
      hash: event.hash,
      'event-time': String(data.at),
      ...(low === undefined ? {} : { 'low-balance': low }),
    },
  }
}

/** @returns undefined for a stream that is no part of the feed */
export function feedKey(stream: string): string | undefined {
  return stream === pricingStream ? pricingStream : accountOfStream(stream)
}

/** @returns the very same value when there is nothing to withhold */
function withoutTexts<Value extends Json>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => {
    const isText = FREE_TEXTS.has(name) && !Array.isArray(value)
    return [name, inner, isText ? withheld(inner) : withoutTexts(inner)] as const
  })
  if (entries.every(([, inner, shown]) => inner === shown)) return value
  if (Array.isArray(value)) return entries.map(([, , shown]) => shown) as never
  return Object.fromEntries(entries.map(([name, , shown]) => [name, shown])) as Value
}

function withheld(value: Json): Json {
  if (typeof value === 'string') return readKeptText(value) === undefined ? WITHHELD : value
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, withheld(inner)] as const)
  const isSame = entries.every(([name, shown]) => shown === (value as Record<string, Json>)[name])
  return isSame ? value : Object.fromEntries(entries)
}
