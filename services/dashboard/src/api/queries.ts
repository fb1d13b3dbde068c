/** What the pages read and write, kept by TanStack Query under the name of the operation. */
import type {
  DashboardInput,
  DashboardOperationName,
  DashboardOutput,
} from '@svc/contracts/dashboard/operations'
import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { askAs, call } from './call.ts'
import { useMadeOnce } from './once-key.ts'
import { noteServerTime } from './server-clock.ts'
import { noteEnd, noteSignedIn } from './session-end.ts'

/** How old a number may be before a look at the page asks anew. */
const FRESH_MS = 2_000
const RETRIES_MAX = 2

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteRefusal }),
  mutationCache: new MutationCache({ onError: noteRefusal }),
  // The server may be on this very machine: what the browser knows of networks says nothing of it.
  // A change that waits for one would be made later, when nobody expects it any more.
  defaultOptions: {
    queries: { staleTime: FRESH_MS, retry: isWorthRetrying, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
})

/** A question; while it is asked with other values, the rows of before stay. */
export function ask<Name extends DashboardOperationName>(name: Name, input: DashboardInput<Name>) {
  return queryOptions<DashboardOutput<Name>, ApiError>({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, input, signal),
    placeholderData: keepPreviousData as never,
  })
}

/**
 * Asks before there is a page to show the answer: its code may be still on the way, or what stands
 * there be drawn once more first. What was asked for before is left to the page: it knows how old
 * that may be.
 */
export function askAhead(query: Asked): void {
  const options = { ...query, staleTime: 'static' } as Parameters<typeof queryClient.query>[0]
  queryClient.query(options).catch(() => {})
}

/** Asks for the first page of a list, as {@link askAhead} does for other questions. */
export function askPageAhead(list: Asked): void {
  type Options = Parameters<typeof queryClient.infiniteQuery>[0]
  const options = { ...list, staleTime: 'static' } as Options
  queryClient.infiniteQuery(options).catch(() => {})
}

/** Options of a question, whatever its answer is. */
interface Asked {
  readonly queryKey: readonly unknown[]
}

/**
 * Who is signed in, and what the operator has set. It is asked for once, and the answers keep it up
 * to date.
 */
export const sessionQuery = queryOptions<DashboardOutput<'session'>, ApiError>({
  queryKey: ['session'],
  queryFn: async ({ signal }) => {
    const session = await call('session', {}, signal)
    noteServerTime(session.now)
    return session
  },
  staleTime: 60_000,
})

askAs(() => queryClient.getQueryData(sessionQuery.queryKey)?.user?.user_id)

/** Notes an error when it says that the session is not, or not any more, what the page shows. */
export function noteRefusal(error: Error): void {
  if (!(error instanceof ApiError)) return
  const { code, param } = error
  if (code === 'not_signed_in') noteEnd()
  // What the page keeps is somebody else's: nothing of it may stay.
  else if (code === 'another_user') window.location.reload()
  // An account that somebody is shown as a member of: they are in it no more.
  else if (code === 'not_found' && param === 'account_id') void lookAnew()
  // Their role is not, or not any more, the one whose buttons the page shows.
  else if (code === 'not_allowed') void lookAnew()
}

function lookAnew(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
}

/** A change: what has been read before is read anew behind it. */
export function useChange<Name extends DashboardOperationName>(name: Name) {
  const client = useQueryClient()
  return useMutation<DashboardOutput<Name>, ApiError, DashboardInput<Name>>({
    mutationFn: (input) => call(name, input),
    onSuccess: () => client.invalidateQueries(),
  })
}

/** A change that makes something new: after a lost answer the same is not made a second time. */
export function useMaking<Name extends 'createAccountKey' | 'rotateAccountKey'>(name: Name) {
  return useMadeOnce(name, (input: Omit<DashboardInput<Name>, 'idempotency_key'>, key) =>
    call(name, { ...input, idempotency_key: key } as DashboardInput<Name>),
  )
}

/** A change that answers with the session that now is. */
export function useSessionChange<
  Name extends
    | 'signIn'
    | 'signOut'
    | 'signUp'
    | 'acceptLink'
    | 'changePassword'
    | 'changeProfile'
    | 'finishProviderSignIn'
    | 'signInByPasskey'
    | 'signInByProxy'
    | 'unlinkProvider',
>(name: Name) {
  const client = useQueryClient()
  return useMutation<DashboardOutput<'session'>, ApiError, DashboardInput<Name>>({
    mutationFn: (input) => call(name, input),
    onSuccess: async (session) => {
      noteSignedIn()
      client.setQueryData(sessionQuery.queryKey, session)
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
    },
  })
}

function isWorthRetrying(count: number, error: Error): boolean {
  const { status, isFinal } = error instanceof ApiError ? error : { status: 0, isFinal: false }
  return count < RETRIES_MAX && !isFinal && (status === 0 || status === 503)
}
