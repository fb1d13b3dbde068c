/**
 * Finds the request that an Idempotency-Key belongs to. The state of an account holds its newest
 * keys. It has forgotten the older ones, which are looked up in an index of the log.
 */
import type { UsedKey, UsedKeys } from '@svc/contracts/ports/used-keys'
import type { AccountState } from './account/state.ts'
import { refusalOfUsedKey } from './account/used-key.ts'
import type { Ledger, NewRequest } from './ledger.ts'
import { serviceErrorOf } from './writer/refusals.ts'
import type { AccountWriter } from './writer/writer.ts'

type Key = NonNullable<NewRequest['idempotency']>

/** @returns undefined when no request has the key, or the one that had it ended without a debit */
export async function requestOfKey(
  writer: AccountWriter,
  usedKeys: UsedKeys,
  keyHash: string,
): ReturnType<Ledger['idempotent']> {
  const find = (state: AccountState) => {
    const used = state.idempotencyKeys.get(keyHash)
    if (used === undefined) return state.hasForgottenKeys ? 'forgotten' : undefined
    return { ...used, running: state.openRequests.has(used.requestId) }
  }
  // The cached state is enough, because the acceptance refuses one that is out of date. The
  // exception: it says that a request runs which has ended since. Nothing is accepted then that
  // would show it, so the newest state is read.
  const known = writer.state && find(writer.state)
  const isUncertain = writer.state === undefined || (typeof known === 'object' && known.running)
  const found = isUncertain ? await writer.ask(find) : known
  if (found !== 'forgotten') return found
  const used = await findInLog(writer, usedKeys, keyHash)
  if (used === undefined) return undefined
  const { requestId, bodyHash, isRunning } = used
  return { requestId, bodyHash, running: isRunning }
}

/** Whether the account may have used the key and forgotten it, by the cached state. */
export function mayBeForgotten({ state }: AccountWriter, key: Key): boolean {
  return state?.hasForgottenKeys === true && !state.idempotencyKeys.has(key.keyHash)
}

/**
 * @returns how many keys the account had used by then; it may count some of the append under way,
 *   and is null where the account is not in memory
 * @throws {ServiceError} when the request of the key runs, or was debited
 */
export async function refuseForgottenKey(
  writer: AccountWriter,
  usedKeys: UsedKeys,
  key: Key,
): Promise<number | null> {
  // Counted before the log is searched: who uses the key meanwhile is among those that come since.
  const keysUsed = writer.state?.keysUsed ?? null
  const used = await findInLog(writer, usedKeys, key.keyHash)
  if (used !== undefined)
    throw serviceErrorOf(refusalOfUsedKey(used, key.bodyHash), writer.accountId)
  return keysUsed
}

async function findInLog(
  { accountId, lastPosition }: AccountWriter,
  usedKeys: UsedKeys,
  keyHash: string,
): Promise<UsedKey | undefined> {
  // An account without an event has no key.
  return lastPosition === undefined ? undefined : usedKeys.find(accountId, keyHash, lastPosition)
}
