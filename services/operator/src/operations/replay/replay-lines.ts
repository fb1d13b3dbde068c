/**
 * Balances and statements as they were: folded anew from the log up to a place of it, in files that
 * are thrown away. Of one account only its own stream is read, whose chain is checked on the way.
 */
import type {
  ReplayedAccount,
  ReplayedEntry,
  ReplayProgress,
  ReplayResult,
} from '@svc/contracts/admin/replay'
import { ServiceError } from '@svc/contracts/errors'
import { formatExact } from '@svc/contracts/money'
import type { EventStore } from '@svc/contracts/ports/event-store'
import type { Pace } from '@svc/contracts/ports/pace'
import type { Projections, Replay } from '@svc/projections/open-projections'
import { statementEntryOf } from '@svc/projections/statement-answer'
import { progressLines } from '../log/progress-lines.ts'
import { accountDetailsOf, accountSummary } from '../values/details.ts'
import { checkAccountId } from '../values/input-values.ts'
import { type FoldedAccount, foldAccount, foldAll } from './fold-events.ts'
import { type Place, readPlace } from './position-at.ts'

/** This many are made in one step, which takes a few milliseconds. */
const ROWS_PER_STEP = 100

export interface ReplaySources {
  readonly store: Pick<EventStore, 'readAll' | 'readStream' | 'lastPosition'>
  readonly pace: Pace
  readonly projections: Pick<Projections, 'replay'>
}

export interface ReplayInput {
  readonly to: string
  readonly account_id?: string | undefined
  readonly statement: boolean
}

type Line = ReplayProgress | ReplayedAccount | ReplayedEntry | ReplayResult
type Views = Awaited<ReturnType<Replay['finish']>>

interface Folded {
  readonly type: 'folded'
  readonly events: number
  readonly account: FoldedAccount | undefined
}

/** @throws {ServiceError} `invalid_value` for a place that is none, `not_found` for an account */
export async function* replayLines(
  sources: ReplaySources,
  { to, account_id: accountId, statement }: ReplayInput,
): AsyncGenerator<Line> {
  if (accountId !== undefined) checkAccountId(accountId)
  else if (statement) {
    const message = 'account_id: name the account whose statement it is'
    throw new ServiceError('invalid_value', message, { param: 'account_id' })
  }
  const place = await readPlace(sources.store, to)
  const replay = sources.projections.replay(accountId === undefined ? 'balances' : 'account')
  try {
    const folding = folded(sources, replay, place, accountId)
    let end: Folded = { type: 'folded', events: 0, account: undefined }
    for await (const line of folding) {
      if (line.type === 'progress') yield line
      else end = line
    }
    const views = await replay.finish()
    const position = `${place.position}`
    const { events, account } = end
    if (accountId === undefined) {
      const totals = yield* balances(sources, views)
      yield { type: 'result', position, events, totals, account: null }
      return
    }
    if (statement) yield* entries(sources, views, accountId)
    const result = accountResult(views, accountId, account, place)
    yield { type: 'result', position, events, ...result }
  } finally {
    await replay.close()
  }
}

function folded(
  { store, pace }: ReplaySources,
  replay: Replay,
  { position: until }: Place,
  accountId: string | undefined,
): AsyncGenerator<ReplayProgress | Folded> {
  return progressLines<ReplayProgress, Folded>(async (report, signal) => {
    const request = { store, pace, replay, until, signal, report }
    if (accountId === undefined) {
      return { type: 'folded', events: await foldAll(request), account: undefined }
    }
    const account = await foldAccount(request, accountId)
    return { type: 'folded', events: account?.events ?? 0, account }
  })
}

/** A line for every account, the oldest first. @returns the sums of all */
async function* balances(
  { pace }: ReplaySources,
  views: Views,
): AsyncGenerator<ReplayedAccount, ReplayResult['totals']> {
  let [accounts, settled, held] = [0, 0n, 0n]
  for (let after: string | undefined; ; ) {
    const page = { limit: ROWS_PER_STEP, after }
    const rows = await pace.step(() => views.accounts(page))
    for (const row of rows) {
      accounts += 1
      settled += row.settled
      held += row.held
      yield { type: 'account', account: accountSummary(row) }
    }
    after = rows.at(-1)?.accountId
    if (after === undefined) break
  }
  return { accounts, settled: formatExact(settled), held: formatExact(held) }
}

async function* entries(
  { pace }: ReplaySources,
  views: Views,
  accountId: string,
): AsyncGenerator<ReplayedEntry> {
  for (let after = 0; ; ) {
    const query = { accountId, after, limit: ROWS_PER_STEP }
    const { rows, more } = await pace.step(() => views.statement(query))
    for (const row of rows) yield { type: 'entry', entry: statementEntryOf(row) }
    after = rows.at(-1)?.entry ?? after
    if (!more) return
  }
}

function accountResult(
  views: Views,
  accountId: string,
  account: FoldedAccount | undefined,
  { position, timeMs }: Place,
): Pick<ReplayResult, 'totals' | 'account'> {
  const row = views.account(accountId)
  if (row === undefined || account === undefined) {
    const then = position < 0n ? 'before the first event' : `up to position ${position}`
    const message = `There was no account ${accountId} ${then}.`
    // Of the two fields it is the place that decides: the account may be there by now.
    throw new ServiceError('not_found', message, { param: 'to' })
  }
  // Keys are as they were then, and not as they are by now.
  const uses = new Map(views.keys(accountId).map((use) => [use.keyId, use]))
  const useOf = (keyId: string) => uses.get(keyId)
  const details = accountDetailsOf(row, account.summary, useOf, timeMs ?? row.lastActivityAt)
  const { settled, held } = details
  return { totals: { accounts: 1, settled, held }, account: details }
}
