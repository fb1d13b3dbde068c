/**
 * The answers that the server keeps for later requests, outside of the ledger: answers for retries,
 * and responses to go on from. Each kind has a file of its own, is encrypted, and expires.
 * What a client keeps itself is sealed under a key from the same folder.
 *
 * Gateways with one content secret and one Redis share them: a retry, or a request that goes on
 * from a response, is then at home on each of them.
 */
import type { ExpiringStore } from '@svc/contracts/ports/expiring-store'
import type { TextSeal } from '@svc/contracts/ports/text-seal'
import { SharedExpiringStore } from '@svc/infra/expiring-store/shared-expiring-store'
import {
  answerBounds,
  responseBounds,
  type StoreBounds,
} from '@svc/infra/expiring-store/store-bounds'
import { systemClock } from '@svc/infra/system/system-clock'
import { systemTimer } from '@svc/infra/system/system-timer'
import { AesTextSeal } from '@svc/infra/text-seal/aes-text-seal'
import type { Logger } from 'pino'
import type { OpenResources } from '../core/open-resources.ts'
import type { DataFolder } from '../data-folder/data-folder.ts'
import {
  derivedKey,
  openAnswersFile,
  openResponsesFile,
  removeFrom,
} from '../data-folder/kept-answers-files.ts'
import type { Settings } from '../settings/settings.ts'
import { startRemovingExpired } from './expired-answers.ts'

export interface KeptAnswers extends Pick<ExpiringStore, 'removeAll'> {
  readonly recordedAnswers: ExpiringStore
  readonly storedResponses: ExpiringStore
  /** Seals what clients carry themselves. */
  readonly textSeal: TextSeal
}

export interface KeptAnswersPorts {
  readonly settings: Pick<Settings, 'SVC_CONTENT_SECRET' | 'REDIS_URL' | 'SVC_REDIS_PREFIX'>
  readonly folder: DataFolder
  readonly logger: Logger
  /** Whether this process runs requests: no other keeps texts, or has any to share. */
  readonly isGateway: boolean
  /** Takes what has to be closed. */
  readonly parts: OpenResources
}

/** Does not wait for a Redis that is away: until it answers, this gateway keeps its own alone. */
export async function openKeptAnswers({
  settings,
  folder,
  logger,
  isGateway,
  parts,
}: KeptAnswersPorts): Promise<KeptAnswers> {
  const key = Buffer.from(folder.secrets().answerKey, 'hex')
  const ownAnswers = openAnswersFile(folder, key)
  parts.add(() => ownAnswers.close())
  const ownResponses = openResponsesFile(folder, key)
  parts.add(() => ownResponses.close())
  const share = isGateway ? await sharingOf(settings, logger, parts) : alone
  const recordedAnswers = share(ownAnswers, 'answers', answerBounds, 'both')
  // A client may delete a response, and then it must be gone: so there is one copy.
  const storedResponses = share(ownResponses, 'responses', responseBounds, 'one')
  const stores = [recordedAnswers, storedResponses]
  parts.add(startRemovingExpired({ stores, clock: systemClock, timer: systemTimer, logger }))
  const carriedKey = derivedKey(key, 'text that clients carry')
  const textSeal = new AesTextSeal(settings.SVC_CONTENT_SECRET ?? carriedKey)
  const removeAll = (accountId: string) => removeFrom(stores, accountId)
  return { recordedAnswers, storedResponses, textSeal, removeAll }
}

type Share = (
  own: ExpiringStore,
  kind: string,
  bounds: StoreBounds,
  copies: 'both' | 'one',
) => ExpiringStore

const alone: Share = (own) => own

/** Without a secret that others have too, nobody could open what this gateway puts there. */
async function sharingOf(
  {
    REDIS_URL: url,
    SVC_REDIS_PREFIX: keyPrefix,
    SVC_CONTENT_SECRET: secret,
  }: KeptAnswersPorts['settings'],
  logger: Logger,
  parts: OpenResources,
): Promise<Share> {
  if (url === undefined || secret === undefined) return alone
  // It is loaded only here, because a service without a Redis needs no client for one.
  const { RedisExpiringStore } = await import(
    '@svc/infra/expiring-store/redis/redis-expiring-store'
  )
  return (own, kind, bounds, copies) => {
    const shared = new RedisExpiringStore({
      url,
      keyPrefix,
      kind,
      secret,
      bounds,
      onProblem(problem) {
        if (problem === null) logger.warn({ kind }, 'Redis answers: kept texts are shared again')
        else logger.warn({ kind, problem }, "Redis unavailable: kept texts are this gateway's own")
      },
    })
    parts.add(() => shared.close())
    return new SharedExpiringStore({ own, shared, copies })
  }
}
