/**
 * Fingerprints of what was asked for. A second request with the same id is a repetition when its
 * fingerprint is the same, and a conflict otherwise. The reason and the actor are not part of it. A
 * text about people counts by its hash; once it is erased it does not count, and every request with
 * the id is a repetition.
 */
import type { Metadata } from '@svc/contracts/commands'
import type { PriceCorrection } from '@svc/contracts/events/account'
import { fingerprint } from '@svc/contracts/ids'
import { contentOfText } from '@svc/contracts/kept-text'

/** Stands for content whose texts were erased since. It equals no text and no hash. */
export const ERASED_CONTENT = '\u0000erased'

/** @param known what was asked for before */
export function isSameContent(known: string | null, asked: string | null | undefined): boolean {
  return known === ERASED_CONTENT || known === asked
}

/** The external id is not part of it, because the id of the account or key is made of it. */
interface Named {
  readonly name: string
  readonly metadata: Metadata
}

export function contentOfAccount(asked: Named & { readonly spendPolicy: string }): string {
  const { name, spendPolicy, metadata } = asked
  return fingerprint(contentOfText(name), spendPolicy, sorted(metadata))
}

export function contentOfKey(asked: Named & { readonly expiresAt: number | null }): string {
  const { name, expiresAt, metadata } = asked
  return fingerprint(contentOfText(name), expiresAt, sorted(metadata))
}

export function contentOfAdjustment(asked: {
  readonly amount: bigint
  readonly category: string
  readonly reference: string | null
}): string {
  const reference = asked.reference === null ? null : contentOfText(asked.reference)
  return fingerprint(`${asked.amount}`, asked.category, reference)
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
  return Object.entries(metadata)
    .map(([name, value]) => [name, contentOfText(value)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
}
