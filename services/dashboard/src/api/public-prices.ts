/** `GET /v1/prices`, which also answers those who have no key, unless the operator hides prices. */
import type { PriceList } from '@svc/contracts/wire/prices'
import { queryOptions } from '@tanstack/react-query'
import type { ApiError } from './api-error.ts'
import { send } from './call.ts'

export const publicPrices = queryOptions<PriceList, ApiError>({
  queryKey: ['public prices'],
  queryFn: async ({ signal }) => {
    const response = await send('/v1', { method: 'GET', path: '/prices' }, {}, signal)
    return (await response.json()) as PriceList
  },
})
