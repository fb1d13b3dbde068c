/** What a gateway without views asks of the log's past for itself. */
import type { UsedKeys } from '@svc/contracts/ports/used-keys'
import { keyUnknown } from '@svc/ledger/refusals'
import type { RunningPage, RunningQuery } from '@svc/projections/views'
import {
  RUNNING_PATH,
  RUNNING_ROWS_MAX,
  type RunningAnswer,
  USED_KEY_PATH,
  type UsedKeyAnswer,
} from './questions.ts'
import type { ViewServers } from './view-servers.ts'

const OK = 200

/** An old key of which nobody can say whether it was used is refused, and never run. */
export function usedKeysElsewhere(servers: ViewServers): UsedKeys {
  return {
    async find(accountId, keyHash, upTo) {
      const query = { account: accountId, key_hash: keyHash, up_to: `${upTo}` }
      const answer = await ask<UsedKeyAnswer>(servers, USED_KEY_PATH, query)
      if (answer === undefined) throw keyUnknown()
      return answer.used ?? undefined
    },
  }
}

/** Requests that are open, those with the earliest deadline first. @throws {ServiceError} */
export async function runningElsewhere(
  servers: Pick<ViewServers, 'ask'>,
  { after, limit }: RunningQuery,
): Promise<RunningPage> {
  const place = after && { after_deadline: `${after.deadline}`, after_request: after.requestId }
  const query = { ...place, limit: `${Math.min(limit, RUNNING_ROWS_MAX)}` }
  const answer = await ask<RunningAnswer>(servers, RUNNING_PATH, query)
  return { rows: answer?.rows ?? [], next: answer?.next ?? undefined }
}

/** @returns undefined when the server cannot say */
async function ask<Answer>(
  servers: Pick<ViewServers, 'ask'>,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<Answer | undefined> {
  const asked = `${path}?${new URLSearchParams(query)}`
  const { statusCode, body } = await servers.ask({ method: 'GET', path: asked, caller: null })
  if (statusCode === OK) return (await body.json()) as Answer
  await body.dump()
  return undefined
}
