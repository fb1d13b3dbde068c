/** Lists that go on behind a cursor. */
import type { DashboardInput, DashboardOutput } from '@svc/contracts/dashboard/operations'
import { type InfiniteData, infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import type { ApiError } from './api-error.ts'
import { call } from './call.ts'

type ListName = 'requests' | 'accountStatement' | 'usage'

/** Page after page, each asked for with the cursor that the one before gave. */
export function askPages<Name extends ListName>(name: Name, input: DashboardInput<Name>) {
  type Page = DashboardOutput<Name>
  return infiniteQueryOptions<
    Page,
    ApiError,
    InfiniteData<Page>,
    readonly [string, unknown],
    string | undefined
  >({
    queryKey: [`${name} pages`, input],
    queryFn: ({ pageParam, signal }) =>
      call(name, pageParam === undefined ? input : { ...input, cursor: pageParam }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
    placeholderData: keepPreviousData as never,
  })
}
