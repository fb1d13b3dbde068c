import { getRouteApi } from '@tanstack/react-router'

const route = getRouteApi('/signed-in/accounts/$accountId')

/** Gives the id of the account whose pages are open. */
export function useAccountId(): string {
  return route.useParams().accountId
}
