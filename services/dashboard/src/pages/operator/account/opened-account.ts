import { getRouteApi } from '@tanstack/react-router'

const route = getRouteApi('/signed-in/operator/accounts/$accountId')

/** The account that an operator looks at, and what of its page stands in the address. */
export function useOpenedAccount() {
  const { accountId } = route.useParams()
  return { accountId, search: route.useSearch(), navigate: route.useNavigate() }
}
