/**
 * What was asked for, in short: by it a repetition is told from something else under the same id.
 * Neither the reason counts, nor who asks.
 */
import type { Metadata } from '@svc/contracts/commands'
import type { PriceCorrection } from '@svc/contracts/events/account'
import { fingerprint } from '@svc/contracts/ids'

interface Named {
  readonly name: string
  readonly externalId: string | null
  readonly metadata: Metadata
}

export function contentOfAccount(asked: Named & { readonly spendPolicy: string }): string {
  const { name, spendPolicy, externalId, metadata } = asked
  return fingerprint(name, spendPolicy, externalId, sorted(metadata))
}

export function contentOfKey(asked: Named & { readonly expiresAt: number | null }): string {
  const { name, expiresAt, externalId, metadata } = asked
  return fingerprint(name, expiresAt, externalId, sorted(metadata))
}

export function contentOfAdjustment(asked: {
  readonly amount: bigint
  readonly category: string
  readonly reference: string | null
}): string {
  return fingerprint(`${asked.amount}`, asked.category, asked.reference)
}

export function contentOfCorrection({ runId, price, from, to }: PriceCorrection): string {
  const { version, input, cachedInput, output } = price
  return fingerprint(runId, version, `${input}`, `${cachedInput}`, `${output}`, from, to)
}

/** @param words what is changed, and to what */
export function contentOfChange(...words: readonly string[]): string {
  return fingerprint(...words)
}

function sorted(metadata: Metadata): readonly (readonly [string, string])[] {
  return Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1))
}
