/** Lists of the operator's that go on behind a cursor. */
import type { OperationInput, OperationOutput } from '@svc/contracts/admin/operations'
import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query'
import { callAdmin } from './admin.ts'
import type { ApiError } from './api-error.ts'

type ListName = 'listHolds' | 'accountRequests'

/** Page after page, each asked for with the cursor that the one before gave. */
export function askAdminPages<Name extends ListName>(name: Name, input: OperationInput<Name>) {
  type Page = OperationOutput<Name>
  return infiniteQueryOptions<
    Page,
    ApiError,
    InfiniteData<Page>,
    readonly [string, string, unknown],
    string | undefined
  >({
    queryKey: ['admin', `${name} pages`, input],
    queryFn: ({ pageParam, signal }) =>
      callAdmin(name, pageParam === undefined ? input : { ...input, cursor: pageParam }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
  })
}
