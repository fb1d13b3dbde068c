/**
 * Accounts that are called so. Names and external ids are kept beside the log, and the views have
 * words for them: so the texts of a bounded number of accounts are read for each answer. Those
 * that were read for an answer before are looked at beside.
 */
import type { OperationHandlers } from '@svc/contracts/admin/operations'
import { cursorPlace, cursorText } from '@svc/contracts/cursor'
import { readKeptText } from '@svc/contracts/kept-text'
import type { Pace } from '@svc/contracts/ports/pace'
import type { Quarantine } from '@svc/contracts/ports/quarantine'
import { withTextsShown } from '@svc/contracts/ports/shown-texts'
import type { TextStore } from '@svc/contracts/ports/text-store'
import type { Clock } from '@svc/contracts/ports/time'
import type { Projections } from '@svc/projections/open-projections'
import type { AccountCalled, AccountRow } from '@svc/projections/views'
import { isOfStatus, type ListedStatus } from '../values/listed-status.ts'
import { comparable, NameMemory } from './name-memory.ts'

/** Accounts that one step looks at, in a few milliseconds. */
const PAGE_ACCOUNTS = 1_000
/** Accounts that one step looks at where it has to read their texts. */
const READ_ACCOUNTS = 100
/**
 * One answer reads at most this many. Where the texts are on an EventStoreDB server each account is
 * a read of it, and the time is up first; all that were read are there for the next answer.
 */
const READ_MAX = 10_000
const READ_MS = 100
/** One answer looks at at most this many of those whose texts are known. */
const LOOKED_AT_MAX = 50_000

export interface SearchPorts {
  readonly projections: Pick<Projections, 'views'>
  readonly pace: Pace
  readonly texts: Pick<TextStore, 'find'>
  readonly clock: Clock
  /** Default: no account is damaged. */
  readonly quarantine?: Pick<Quarantine, 'find'>
  /** Default: nothing is remembered from one search to the next. */
  readonly names?: NameMemory
}

type SearchInput = Parameters<OperationHandlers['searchAccounts']>[0]

export interface FoundAccounts {
  readonly found: readonly AccountRow[]
  /** Is null when there is no more. */
  readonly next_cursor: string | null
}

/** Searches in views that are current: those of accounts, and of usage, which has the keys. */
export function accountSearch(ports: SearchPorts) {
  return async ({ text, status, cursor, limit }: SearchInput): Promise<FoundAccounts> => {
    const list = ['accounts called', text, ...(status === undefined ? [] : [status])]
    const from = cursor === undefined ? undefined : cursorPlace(list, cursor)
    const { views } = ports.projections
    const owner = views.key(text)?.accountId ?? views.grantOwner(text)
    if (owner !== undefined) {
      const account = views.account(owner)
      const isMeant = account !== undefined && isOfStatus(ports.quarantine, account, status)
      return { found: isMeant ? [account] : [], next_cursor: null }
    }
    const { found, last } = await search(lookedAt(ports, { text, status }, from), limit)
    return {
      found: found.flatMap((accountId) => views.account(accountId) ?? []),
      next_cursor: last === undefined ? null : cursorText(list, last),
    }
  }
}

/** @returns what was found, and the last account that was looked at when there may be more */
async function search(groups: AsyncIterable<Group>, limit: number) {
  const found: string[] = []
  let last: string | undefined
  for await (const { accounts, isLast } of groups) {
    for (const { accountId, isMeant } of accounts) {
      if (found.length === limit) return { found, last }
      last = accountId
      if (isMeant) found.push(accountId)
    }
    if (isLast) return { found, last: undefined }
  }
  return { found, last }
}

interface Sought {
  readonly text: string
  readonly status: ListedStatus | undefined
}

interface LookedAt {
  readonly accountId: string
  readonly isMeant: boolean
}

/** Accounts that were looked at together. */
interface Group {
  readonly accounts: readonly LookedAt[]
  /** Whether there is no account behind them. */
  readonly isLast: boolean
}

/** The accounts behind one, oldest first, as many as one answer may look at. */
async function* lookedAt(
  ports: SearchPorts,
  sought: Sought,
  from: string | undefined,
): AsyncGenerator<Group> {
  const { projections, pace, clock, names = new NameMemory(ports) } = ports
  const isUp = timeUp(clock)
  names.begin()
  let after = from
  let read = 0
  let isLastPage = false
  for (let looked = 0; looked < LOOKED_AT_MAX && !isLastPage; looked += PAGE_ACCOUNTS) {
    const page = { limit: PAGE_ACCOUNTS, after }
    const all = await pace.step(() => projections.views.accountsCalled(page))
    isLastPage = all.length < PAGE_ACCOUNTS
    after = all.at(-1)?.accountId
    for (const some of inGroups(all, names)) {
      const unread = some.filter((each) => unreadWords(each, names).length > 0)
      if (unread.length > 0 && read > 0 && (isUp() || read + some.length > READ_MAX)) return
      if (unread.length > 0) {
        read += some.length
        const words = unread.flatMap((each) => unreadWords(each, names))
        await pace.step(() => names.read(words))
      }
      const accounts = await compared(ports, names, sought, some)
      yield { accounts, isLast: isLastPage && accounts.at(-1)?.accountId === after }
    }
  }
}

/** Whether reading has taken its time. A clock that was put back ends it, too. */
function timeUp(clock: Clock): () => boolean {
  const startMs = clock.nowMs()
  return () => Math.abs(clock.nowMs() - startMs) >= READ_MS
}

/**
 * Groups the accounts: all at once where their texts are known, else as many as are read in a step.
 */
function inGroups(
  all: readonly AccountCalled[],
  names: NameMemory,
): readonly (readonly AccountCalled[])[] {
  if (all.every((each) => unreadWords(each, names).length === 0)) return [all]
  return Array.from({ length: Math.ceil(all.length / READ_ACCOUNTS) }, (_, group) =>
    all.slice(group * READ_ACCOUNTS, (group + 1) * READ_ACCOUNTS),
  )
}

function unreadWords(account: AccountCalled, names: NameMemory): readonly string[] {
  return callings(account).filter(
    (calling) => names.textOf(calling) === undefined && readKeptText(calling) !== undefined,
  )
}

/**
 * Compares, and looks up what seems to be meant: its text may have been erased since it was read.
 */
async function compared(
  { texts, quarantine }: SearchPorts,
  names: NameMemory,
  { text, status }: Sought,
  some: readonly AccountCalled[],
): Promise<readonly LookedAt[]> {
  const plain = comparable(text)
  const isCalled = (calling: string) => calling.includes(plain)
  const fitting = some.filter(
    (account) =>
      isOfStatus(quarantine, account, status) &&
      (account.accountId === text ||
        callings(account).some((each) => isCalled(names.textOf(each) ?? comparable(each)))),
  )
  const shown = await withTextsShown(texts, fitting.map(callings))
  const meant = new Set(
    fitting
      .filter(
        ({ accountId }, index) =>
          accountId === text || (shown[index]?.map(comparable).some(isCalled) ?? false),
      )
      .map(({ accountId }) => accountId),
  )
  return some.map(({ accountId }) => ({ accountId, isMeant: meant.has(accountId) }))
}

/** Lists the names and ids that an account is called by. */
function callings({
  name,
  externalId,
}: Pick<AccountRow, 'name' | 'externalId'>): readonly string[] {
  return externalId === null ? [name] : [name, externalId]
}
