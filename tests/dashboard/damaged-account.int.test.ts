/** One damaged account of somebody, who has another one and a part in running the service. */
import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { accountStream } from '@svc/contracts/events/account'
import { startDashboard } from '@svc/testing/dashboard-server'
import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { expect, onTestFinished, test } from 'vitest'

const PREFIX = 'damage.'

test('a damaged account keeps nobody out of the rest of the dashboard', async () => {
  const double = await EventStoreDbDouble.start()
  onTestFinished(() => double.close())
  const store = { EVENTSTORE_URL: double.url, SVC_EVENTSTORE_PREFIX: PREFIX }
  await using dashboard = await startDashboard(store)
  const { owner, accountId } = dashboard
  const opened = { name: 'Harmed', spend_policy: 'standard' }
  const { account_id: harmed } = await owner.json<{ account_id: string }>(
    'POST',
    '/admin/accounts',
    opened,
  )
  const invited = { account_id: harmed, account_role: 'owner' }
  const { link } = await owner.json<{ link: string }>('POST', '/admin/users/invitations', invited)
  await owner.json('POST', '/links/accept', { secret: link.slice(link.indexOf('#') + 1) })
  const session = () => owner.json<DashboardOutput<'session'>>('GET', '/session')
  expect((await session()).accounts).toMatchObject([
    { account_id: accountId, status: 'open' },
    { account_id: harmed, name: 'Harmed', status: 'open' },
  ])

  double.deleteStream(`${PREFIX}${accountStream(harmed)}`, true)
  const asked = async () => {
    const answer = await owner.ask('GET', `/accounts/${harmed}/balance`)
    return [answer.status, answer.headers.get('x-should-retry')]
  }
  await expect.poll(asked).toEqual([503, 'false'])

  expect((await session()).accounts).toMatchObject([
    { account_id: accountId, status: 'open' },
    { account_id: harmed, name: harmed, status: 'damaged', role: 'owner' },
  ])
  expect((await owner.ask('GET', `/accounts/${accountId}`)).status).toBe(200)
})
