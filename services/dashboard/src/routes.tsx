/** Every page and its address. Pages are loaded when somebody goes to them. */
import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { arrivedWith } from './address/arrival.ts'
import { signInSearch } from './address/inside.ts'
import { accountSearch, accountsSearch, eventsSearch } from './address/operator-search.ts'
import {
  keysSearch,
  nothingBut,
  requestsSearch,
  statementSearch,
  usageSearch,
} from './address/search.ts'
import { askAhead, askPageAhead, queryClient, sessionQuery } from './api/queries.ts'
import { AccountLayout } from './layout/account-layout.tsx'
import { Broken, Missing } from './layout/fallbacks.tsx'
import { Root } from './layout/root.tsx'
import { Start } from './layout/start.tsx'
import { accountPages } from './pages/operator/accounts/account-pages.ts'
import { receiptQuery, requestsQueries } from './pages/requests/requests-queries.ts'
import { statementQueries } from './pages/statement/statement-queries.ts'
import { usageQueries } from './pages/usage/usage-queries.ts'
import { lazyPage } from './ui/drawing/lazy-page.ts'

const root = createRootRoute({
  loader: () => queryClient.ensureQueryData(sessionQuery),
  component: Root,
  errorComponent: Broken,
  notFoundComponent: () => <Missing />,
})

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: nothingBut(signInSearch),
  component: lazyPage(() => import('./pages/people/sign-in.tsx'), 'SignIn'),
})

const providerReturn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/return',
  loader: () => arrivedWith,
  component: lazyPage(() => import('./pages/people/provider-return.tsx'), 'ProviderReturn'),
})

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: lazyPage(() => import('./pages/people/sign-up.tsx'), 'SignUp'),
})

const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyPage(() => import('./pages/people/join.tsx'), 'Join'),
})

const prices = createRoute({
  getParentRoute: () => root,
  path: '/prices',
  component: lazyPage(() => import('./pages/prices/prices.tsx'), 'Prices'),
})

/** What only those see who are signed in; others come back here behind the sign-in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const { user } = await queryClient.ensureQueryData(sessionQuery)
    if (user === null) throw redirect({ to: '/sign-in', search: { to: location.publicHref } })
  },
})

const profile = createRoute({
  getParentRoute: () => signedIn,
  path: '/profile',
  component: lazyPage(() => import('./pages/people/profile.tsx'), 'Profile'),
})

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/accounts/$accountId',
  component: AccountLayout,
})

const home = createRoute({
  getParentRoute: () => account,
  path: '/',
  component: lazyPage(() => import('./pages/home/home.tsx'), 'Home'),
})

const keys = createRoute({
  getParentRoute: () => account,
  path: '/keys',
  validateSearch: nothingBut(keysSearch),
  component: lazyPage(() => import('./pages/keys/keys.tsx'), 'Keys'),
})

const requests = createRoute({
  getParentRoute: () => account,
  path: '/requests',
  validateSearch: nothingBut(requestsSearch),
  beforeLoad: ({ params, search, preload }) => {
    if (preload) return
    const { accountId } = params
    const { list, totals } = requestsQueries(accountId, search)
    askPageAhead(list)
    askAhead(totals)
    if (search.request !== undefined) askAhead(receiptQuery(accountId, search.request))
  },
  component: lazyPage(() => import('./pages/requests/requests.tsx'), 'Requests'),
})

const statement = createRoute({
  getParentRoute: () => account,
  path: '/statement',
  validateSearch: nothingBut(statementSearch),
  beforeLoad: ({ params, search, preload }) => {
    if (!preload) askPageAhead(statementQueries(params.accountId, search).list)
  },
  component: lazyPage(() => import('./pages/statement/statement.tsx'), 'Statement'),
})

const usage = createRoute({
  getParentRoute: () => account,
  path: '/usage',
  validateSearch: nothingBut(usageSearch),
  beforeLoad: ({ params, search, preload }) => {
    if (preload) return
    const { whole, grouped } = usageQueries(params.accountId, search)
    askAhead(whole)
    if (search.group !== undefined) askPageAhead(grouped)
  },
  component: lazyPage(() => import('./pages/usage/usage.tsx'), 'Usage'),
})

const chat = createRoute({
  getParentRoute: () => account,
  path: '/chat',
  component: lazyPage(() => import('./pages/chat/chat.tsx'), 'Chat'),
})

const members = createRoute({
  getParentRoute: () => account,
  path: '/members',
  component: lazyPage(() => import('./pages/members/members.tsx'), 'Members'),
})

/** The pages for those who have a part in running the service. */
const operator = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator',
  component: lazyPage(() => import('./layout/operator-layout.tsx'), 'OperatorLayout'),
})

const accounts = createRoute({
  getParentRoute: () => operator,
  path: '/accounts',
  validateSearch: nothingBut(accountsSearch),
  beforeLoad: ({ search, preload }) => {
    if (!preload) askPageAhead(accountPages(search))
  },
  component: lazyPage(() => import('./pages/operator/accounts/accounts.tsx'), 'Accounts'),
})

const operatedAccount = createRoute({
  getParentRoute: () => operator,
  path: '/accounts/$accountId',
  validateSearch: nothingBut(accountSearch),
  component: lazyPage(() => import('./pages/operator/account/account.tsx'), 'OperatedAccount'),
})

const operatorPrices = createRoute({
  getParentRoute: () => operator,
  path: '/prices',
  component: lazyPage(
    () => import('./pages/operator/prices/operator-prices.tsx'),
    'OperatorPrices',
  ),
})

const audit = createRoute({
  getParentRoute: () => operator,
  path: '/audit',
  component: lazyPage(() => import('./pages/operator/audit/audit.tsx'), 'Audit'),
})

const system = createRoute({
  getParentRoute: () => operator,
  path: '/system',
  component: lazyPage(() => import('./pages/operator/system/system.tsx'), 'System'),
})

const access = createRoute({
  getParentRoute: () => operator,
  path: '/access',
  component: lazyPage(() => import('./pages/operator/access/access.tsx'), 'Access'),
})

const events = createRoute({
  getParentRoute: () => operator,
  path: '/events',
  validateSearch: nothingBut(eventsSearch),
  component: lazyPage(() => import('./pages/operator/events/events.tsx'), 'Events'),
})

const pagesOfOperators = [accounts, operatedAccount, operatorPrices, audit, system, access, events]
const pagesOfAccount = [home, keys, requests, statement, usage, chat, members]

/** Of the page that is shown, without what it was asked for. */
let shownPath = ''

/** A page begins at its top. What opens beside its rows, or sorts them, leaves them in place. */
function isAnotherPage({ location }: { readonly location: { readonly pathname: string } }) {
  const isAnother = location.pathname !== shownPath
  shownPath = location.pathname
  return isAnother
}

export const router = createRouter({
  routeTree: root.addChildren([
    ...[start, signIn, providerReturn, signUp, join, prices],
    signedIn.addChildren([
      profile,
      account.addChildren(pagesOfAccount),
      operator.addChildren(pagesOfOperators),
    ]),
  ]),
  basepath: '/dashboard',
  defaultPreload: 'intent',
  scrollRestoration: isAnotherPage,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
