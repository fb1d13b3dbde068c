/**
 * The files of the data folder that hold answers for later requests. Each has a key of its own, and
 * expires.
 */
import { hkdfSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import { openSqliteExpiringStore } from '@svc/infra/expiring-store/sqlite/sqlite-expiring-store'
import { answerBounds, responseBounds } from '@svc/infra/expiring-store/store-bounds'
import type { DataFolder } from './data-folder.ts'

const KEY_BYTES = 32

export function openAnswersFile({ answersFile }: DataFolder, key: Buffer): ExpiringStore {
  return openSqliteExpiringStore(answersFile, { kind: 'answers', key, bounds: answerBounds })
}

export function openResponsesFile({ responsesFile }: DataFolder, answerKey: Buffer): ExpiringStore {
  const key = derivedKey(answerKey, 'stored responses')
  return openSqliteExpiringStore(responsesFile, { kind: 'responses', key, bounds: responseBounds })
}

/** Two files under one key would let a row of the one be taken for a row of the other. */
export function derivedKey(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES))
}

/** Removes what the folder of a stopped server keeps of an account. @returns how many texts */
export async function removeKeptAnswers(folder: DataFolder, accountId: string): Promise<number> {
  const { answersFile, responsesFile } = folder
  const key = Buffer.from(folder.comingSecrets().answerKey, 'hex')
  const stores = [
    ...(existsSync(answersFile) ? [openAnswersFile(folder, key)] : []),
    ...(existsSync(responsesFile) ? [openResponsesFile(folder, key)] : []),
  ]
  try {
    return await removeFrom(stores, accountId)
  } finally {
    for (const store of stores) await store.close()
  }
}

/**
 * Removes what all of them keep of an account. One that fails keeps the others from nothing.
 *
 * @returns how many texts
 * @throws what one of them throws
 */
export async function removeFrom(
  stores: readonly Pick<ExpiringStore, 'removeAll'>[],
  accountId: string,
): Promise<number> {
  const removals = stores.map((store) => store.removeAll(accountId))
  await Promise.allSettled(removals)
  return (await Promise.all(removals)).reduce((sum, removed) => sum + removed, 0)
}
