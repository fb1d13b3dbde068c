/**
 * Old schema versions are read through upcasters: pure functions from the data of version n to that
 * of version n+1. A fixture of every version that was ever written is kept in `fixtures/`, for
 * ever.
 */
import { DEFAULT_PRICE_LIST } from '../../price.ts'

/** The version in which each type of event is written today. */
const currentVersions: ReadonlyMap<string, number> = new Map([
  ['PricePublished', 2],
  ['PriceWithdrawn', 2],
  ['PriceCorrected', 2],
  ['AdminTokenCreated', 2],
  ['AdminTokenRevoked', 2],
  ['AccountOpened', 4],
  ['AccountRenamed', 2],
  ['SpendPolicySet', 3],
  ['AccountFrozen', 2],
  ['AccountUnfrozen', 2],
  ['AccountClosed', 2],
  ['ApiKeyCreated', 4],
  ['ApiKeyRenamed', 2],
  ['ApiKeyRevoked', 2],
  ['CreditGranted', 3],
  ['GrantVoided', 2],
  ['CreditRefunded', 2],
  ['BalanceAdjusted', 2],
  ['UserSignedIn', 2],
  ['TokensMetered', 2],
])

const FIRST_VERSION = 1

type Upcaster = (data: unknown) => unknown

/** Upcasters by type: the first of its list turns version 1 into version 2, and so on. */
const upcasters: ReadonlyMap<string, readonly Upcaster[]> = new Map([
  ['PricePublished', [onDefaultList]],
  ['PriceWithdrawn', [withPlainTexts]],
  ['PriceCorrected', [withPlainTexts]],
  ['AdminTokenCreated', [withPlainTexts]],
  ['AdminTokenRevoked', [withPlainTexts]],
  // Version 3 still had the external id itself.
  ['AccountOpened', [withoutExternalId, withPlainTexts, withPlainTexts]],
  ['AccountRenamed', [withPlainTexts]],
  ['SpendPolicySet', [withoutReason, withPlainTexts]],
  ['AccountFrozen', [withPlainTexts]],
  ['AccountUnfrozen', [withPlainTexts]],
  ['AccountClosed', [withPlainTexts]],
  ['ApiKeyCreated', [withoutExternalId, withPlainTexts, withPlainTexts]],
  ['ApiKeyRenamed', [withPlainTexts]],
  ['ApiKeyRevoked', [withPlainTexts]],
  ['CreditGranted', [withPlainTexts, withoutChange]],
  ['GrantVoided', [withPlainTexts]],
  ['CreditRefunded', [withPlainTexts]],
  ['BalanceAdjusted', [withPlainTexts]],
  ['UserSignedIn', [byPassword]],
  ['TokensMetered', [byWholeBlocks]],
])

export function currentVersion(type: string): number {
  return currentVersions.get(type) ?? FIRST_VERSION
}

/**
 * Brings data of an older version to the current one.
 *
 * @throws {RangeError} when the version is newer than this program: money is never guessed at.
 */
export function upcast(type: string, version: number, data: unknown): unknown {
  const target = currentVersion(type)
  if (version > target || version < FIRST_VERSION) {
    throw new RangeError(
      `${type} has schema version ${version}, this program reads up to ${target}: update the program`,
    )
  }
  if (version === target) return data
  const steps = (upcasters.get(type) ?? []).slice(version - FIRST_VERSION)
  return steps.reduce((older, step) => step(older), data)
}

/** Version 1 was written when there was one list. */
function onDefaultList(data: unknown): unknown {
  return { ...(data as object), priceList: DEFAULT_PRICE_LIST }
}

function withoutExternalId(data: unknown): unknown {
  return { ...(data as object), externalId: null, metadata: {} }
}

/** A text about people was in the event itself: it stands where the word of one stands now. */
function withPlainTexts(data: unknown): unknown {
  return data
}

/** Versions before did not say which idempotency key there was. */
function withoutChange(data: unknown): unknown {
  return { ...(data as object), changeId: null }
}

function withoutReason(data: unknown): unknown {
  return { ...(data as object), changeId: null, reason: null }
}

/** The length of every block when version 1 was written. */
const FIRST_BLOCK_TOKENS = 128

/** Version 1 was written when there was one schedule, and nothing but whole blocks was reused. */
function byWholeBlocks(data: unknown): unknown {
  const { cache, ...metered } = data as { readonly cache: { readonly blocks: number } }
  const reusedTokens = cache.blocks * FIRST_BLOCK_TOKENS
  return { ...metered, cache: { schedule: 'canonical-128', reusedTokens, ...cache } }
}

/** Version 1 was written when there was no other way to sign in. */
function byPassword(data: unknown): unknown {
  return { ...(data as object), way: 'password' }
}
