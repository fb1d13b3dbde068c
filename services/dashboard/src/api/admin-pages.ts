/** Lists of the operator's that go on behind a cursor, and what answers are up to. */
import type { OperationInput, OperationOutput } from '@svc/contracts/admin/operations'
import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query'
import { callAdmin } from './admin.ts'
import type { ApiError } from './api-error.ts'
import { serverNow } from './server-clock.ts'

type ListName = 'listHolds' | 'accountRequests' | 'accountUsage'

/** An answer with what it is up to: what stood in the log when it was asked for is in it. */
export type WithAsOf<Answer> = Answer & {
  readonly as_of: { readonly position: string; readonly at: string } | undefined
}

/**
 * Asks, and says what the answer is up to.
 *
 * @throws {ApiError} also when the server cannot be reached
 */
export async function callAdminAsOf<Name extends ListName | 'statement'>(
  name: Name,
  input: OperationInput<Name>,
  signal: AbortSignal,
): Promise<WithAsOf<OperationOutput<Name>>> {
  const at = new Date(serverNow()).toISOString()
  const answer = await callAdmin(name, input, signal)
  const { position } = answer as { readonly position?: string }
  return { ...answer, as_of: position === undefined ? undefined : { position, at } }
}

/** Page after page, each asked for with the cursor that the one before gave. */
export function askAdminPages<Name extends ListName>(name: Name, input: OperationInput<Name>) {
  type Page = WithAsOf<OperationOutput<Name>>
  return infiniteQueryOptions<
    Page,
    ApiError,
    InfiniteData<Page>,
    readonly [string, string, unknown],
    string | undefined
  >({
    queryKey: ['admin', `${name} pages`, input],
    queryFn: ({ pageParam, signal }) =>
      callAdminAsOf(
        name,
        pageParam === undefined ? input : { ...input, cursor: pageParam },
        signal,
      ),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
  })
}
