/** Links of those who run the service: only an owner of it makes them, and takes them back. */
import { startDashboard } from '@svc/testing/dashboard-server'
import { expect, test } from 'vitest'

interface Issued {
  readonly invitation_id: string
  readonly link: string
}

test('neither an operator nor a customer takes back a link into the running', async () => {
  await using dashboard = await startDashboard()
  const { owner, accountId } = dashboard
  const invite = (given: object) => owner.json<Issued>('POST', '/admin/users/invitations', given)
  const browserOf = async (name: string, given: object) => {
    const browser = dashboard.browser()
    const { user } = await browser.join((await invite(given)).link, name)
    return { browser, userId: user?.user_id ?? '' }
  }
  const { browser: operator } = await browserOf('Otto', { platform_role: 'operator' })
  const { userId: auditorId } = await browserOf('Aude', { platform_role: 'auditor' })
  const { browser: customer, userId: customerId } = await browserOf('Cora', {
    account_id: accountId,
  })

  const reset = (userId: string) => owner.json<Issued>('POST', `/admin/users/${userId}/reset-link`)
  const revoked = async (by: typeof owner, path: string, { invitation_id: id }: Issued) =>
    (await by.ask('POST', `${path}/invitations/${id}/revoke`)).status
  const both = await invite({ platform_role: 'owner', account_id: accountId })
  const resetOfAuditor = await reset(auditorId)
  expect(await revoked(operator, '/admin/users', both)).toBe(403)
  expect(await revoked(operator, '/admin/users', resetOfAuditor)).toBe(403)
  expect(await revoked(customer, `/accounts/${accountId}`, both)).toBe(403)

  expect(await revoked(operator, '/admin/users', await reset(customerId))).toBe(200)
  const toAccount = await invite({ account_id: accountId })
  expect(await revoked(operator, '/admin/users', toAccount)).toBe(200)
  expect(await revoked(operator, '/admin/users', toAccount)).toBe(404)
  expect(await revoked(owner, '/admin/users', both)).toBe(200)
  expect(await revoked(owner, '/admin/users', resetOfAuditor)).toBe(200)
})
