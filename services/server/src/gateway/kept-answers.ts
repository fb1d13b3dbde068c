/**
 * The answers that the server keeps for later requests, outside of the ledger: answers for retries,
 * and responses to go on from. Each kind has a file of its own, is encrypted, and expires.
 * What a client keeps itself is sealed under a key from the same folder.
 */
import { hkdfSync } from 'node:crypto'
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import type { TextSeal } from '@svc/contracts/ports/text-seal'
import { openSqliteExpiringStore } from '@svc/infra/expiring-store/sqlite/sqlite-expiring-store'
import { answerBounds, responseBounds } from '@svc/infra/expiring-store/store-bounds'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import { AesTextSeal } from '@svc/infra/text-seal/aes-text-seal'
import type { Logger } from 'pino'
import type { OpenResources } from '../core/open-resources.ts'
import type { DataFolder } from '../data-folder/data-folder.ts'

const KEY_BYTES = 32
/** Between two looks for what has expired. */
const REMOVAL_INTERVAL_MS = 10 * 60_000
/** What one look removes at most of each kind: nothing else runs meanwhile. */
const REMOVAL_BATCH = 500

export interface KeptAnswers {
  readonly recordedAnswers: ExpiringStore
  readonly storedResponses: ExpiringStore
  /** For what clients carry themselves. */
  readonly textSeal: TextSeal
}

export interface KeptAnswersPorts {
  readonly folder: DataFolder
  readonly logger: Logger
  /** Instead of the folder's own: gateways whose clients move between them need the same. */
  readonly contentSecret: string | undefined
  /** Takes what has to be closed. */
  readonly parts: OpenResources
}

export function openKeptAnswers({
  folder,
  logger,
  contentSecret,
  parts,
}: KeptAnswersPorts): KeptAnswers {
  const key = Buffer.from(folder.secrets().answerKey, 'hex')
  const recordedAnswers = openSqliteExpiringStore(folder.answersFile, {
    kind: 'answers',
    key,
    bounds: answerBounds,
  })
  parts.add(() => recordedAnswers.close())
  const storedResponses = openSqliteExpiringStore(folder.responsesFile, {
    kind: 'responses',
    key: derivedKey(key, 'stored responses'),
    bounds: responseBounds,
  })
  parts.add(() => storedResponses.close())
  parts.add(removeExpiredAgain(logger, [recordedAnswers, storedResponses]))
  return {
    recordedAnswers,
    storedResponses,
    textSeal: new AesTextSeal(contentSecret ?? derivedKey(key, 'text that clients carry')),
  }
}

/** Two files under one key would let a row of the one be taken for a row of the other. */
function derivedKey(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES))
}

type Expiring = Pick<ExpiringStore, 'removeExpired'>

/** @returns stops it */
function removeExpiredAgain(logger: Logger, stores: readonly Expiring[]): () => void {
  let stopWaiting: () => void = () => {}
  const look = async (): Promise<void> => {
    try {
      const now = systemClock.nowMs()
      for (const store of stores) await store.removeExpired(now, REMOVAL_BATCH)
    } catch (error) {
      logger.error({ err: error }, 'failed to remove expired answers, retrying')
    }
  }
  const wait = (): void => {
    stopWaiting = systemTimer.after(REMOVAL_INTERVAL_MS, () => {
      void look()
      wait()
    })
  }
  void look()
  wait()
  return () => stopWaiting()
}
