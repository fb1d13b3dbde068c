/**
 * Accounts that are called so. Names and external ids are kept beside the log, and the views have
 * words for them: so the texts of a bounded number of accounts are looked at for each answer.
 */
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { cursorPlace, cursorText } from '@svc/contracts/cursor'
import type { Pace } from '@svc/contracts/ports/pace'
import { withTextsShown } from '@svc/contracts/ports/shown-texts'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Projections } from '@svc/projections/open-projections'
import type { AccountRow } from '@svc/projections/views'
import { accountSummary } from '../values/details.ts'

/** In one step: a few milliseconds. */
const PAGE_ACCOUNTS = 100
/** For one answer. Where the texts are on an EventStoreDB server, each account is a read of it. */
const LOOKED_AT_MAX = 1_000

export interface SearchPorts {
  readonly projections: Pick<Projections, 'views'>
  readonly pace: Pace
  readonly texts: Pick<TextStore, 'find'>
}

/** Of a view that is current. */
export function accountSearch(ports: SearchPorts): OperationHandlers['searchAccounts'] {
  return async ({ text, cursor, limit }) => {
    const list = ['accounts called', text]
    const from = cursor === undefined ? undefined : cursorPlace(list, cursor)
    const { found, last } = await search(lookedAt(ports, text, from), limit)
    return {
      accounts: found.map(accountSummary),
      next_cursor: last === undefined ? null : cursorText(list, last),
    }
  }
}

/** @returns what was found, and the last account that was looked at when there may be more */
async function search(accounts: AsyncIterable<LookedAt>, limit: number) {
  const found: AccountRow[] = []
  let last: string | undefined
  for await (const { row, isMeant } of accounts) {
    if (row === undefined) return { found, last: undefined }
    if (found.length === limit) break
    last = row.accountId
    if (isMeant) found.push(row)
  }
  return { found, last }
}

interface LookedAt {
  /** Undefined behind the last account that there is. */
  readonly row: AccountRow | undefined
  readonly isMeant: boolean
}

/** The accounts behind one, oldest first, as many as one answer may look at. */
async function* lookedAt(
  { projections, pace, texts }: SearchPorts,
  text: string,
  from: string | undefined,
): AsyncGenerator<LookedAt> {
  const isMeant = matcher(text)
  let after = from
  for (let looked = 0; looked < LOOKED_AT_MAX; looked += PAGE_ACCOUNTS) {
    const page = { limit: PAGE_ACCOUNTS, ...(after === undefined ? {} : { after }) }
    const rows = await pace.step(() => projections.views.accounts(page))
    const shown = await withTextsShown(texts, rows.map(callings))
    for (const [index, row] of rows.entries()) {
      yield { row, isMeant: shown[index]?.some(isMeant) ?? false }
    }
    after = rows.at(-1)?.accountId
    if (rows.length === PAGE_ACCOUNTS) continue
    yield { row: undefined, isMeant: false }
    return
  }
}

/** What an account is called by. */
function callings({ name, externalId }: AccountRow): readonly string[] {
  return externalId === null ? [name] : [name, externalId]
}

/** Whoever types it minds neither capitals nor how a letter with an accent is made up. */
function matcher(text: string): (calling: string) => boolean {
  const plain = (some: string) => some.normalize('NFKC').toLowerCase()
  const sought = plain(text)
  return (calling) => plain(calling).includes(sought)
}
