/** Changes whose answer is lost, or slow. */

import { missingChromium } from '@svc/testing/chromium'
import { describe, expect, test } from 'vitest'
import { Refused } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT } from '../testing/sample-answers.ts'
import { ownerPages } from '../testing/service-roles.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

describe.skipIf(missingChromium() !== undefined)('a change whose answer', () => {
  let opened: OpenedPages
  withPages(ownerPages, (each) => {
    opened = each
  })

  const openForm = async (name: string) => {
    await opened.page.getByRole('button', { name, exact: true }).click()
    const dialog = opened.page.getByRole('dialog')
    const press = (button: string) =>
      dialog.getByRole('button', { name: button, exact: true }).click()
    return { dialog, press }
  }
  const openGrant = async (amount: string) => {
    const form = await openForm('Grant credit')
    await form.dialog.getByLabel('Amount in dollars').fill(amount)
    await form.dialog.getByLabel('Reason').fill('Invoice 42')
    return form
  }
  const openAccount = () =>
    opened.page.goto(`${opened.server.url}/dashboard/operator/accounts/${ACCOUNT}`)

  test('was lost has its key also in another form, and after a reload: it is done once', async () => {
    const { page, server } = opened
    const keys: unknown[] = []
    server.adminAnswers = {
      ...fullAdminAnswers,
      grant: ({ idempotency_key: key }) => {
        const isNew = !keys.includes(key)
        keys.push(key)
        if (keys.length === 1) return new Refused(502, 'http_502', '')
        return { grant_id: 'grant_3', created: isNew }
      },
    }
    await openAccount()
    const lost = await openGrant('5')
    await lost.press('Review')
    await lost.press('Grant credit')
    await lost.dialog.getByText('It may have been done all the same.').waitFor()
    await lost.press('Cancel')
    await page.reload()
    const again = await openGrant('5')
    await again.press('Review')
    await again.press('Grant credit')
    await again.dialog.getByText('was not done again').waitFor()
    await again.dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await again.dialog.waitFor({ state: 'detached' })
    expect(keys).toHaveLength(2)
    expect(keys[1]).toBe(keys[0])
    // It is answered: who asks for the same by now means another one.
    const next = await openGrant('5')
    await next.press('Review')
    await next.press('Grant credit')
    await next.dialog.waitFor({ state: 'detached' })
    expect(keys[2]).not.toBe(keys[0])
  })

  test('was lost has its key also where it makes something: none is made twice', async () => {
    const { page, server } = opened
    const asked: (readonly [made: string, key: unknown])[] = []
    /** Loses the first answer of each kind, as a restart of the server does. */
    const lostOnce =
      <Answer>(made: string, answer: Answer) =>
      ({ idempotency_key: key }: { readonly idempotency_key?: string | undefined }) => {
        const isFirst = !asked.some(([kind]) => kind === made)
        asked.push([made, key])
        return isFirst ? new Refused(502, 'http_502', '') : answer
      }
    const ends = { old_key_ends_at: '2026-11-21T10:00:00.000Z' }
    server.answers = {
      ...ownerPages.answers,
      createAccountKey: lostOnce('key', { key_id: 'key_9', secret: 'sk-svc-once' }),
      rotateAccountKey: lostOnce('rotated', { key_id: 'key_9', secret: 'sk-svc-once', ...ends }),
    }
    server.adminAnswers = {
      ...fullAdminAnswers,
      createAdminToken: lostOnce('token', { token_id: 'adm_9', secret: 'adm-1', created: true }),
      openAccount: lostOnce('account', { account_id: ACCOUNT, created: true }),
    }
    const makes = async (path: string, button: string, submit: string, name?: string) => {
      for (const isLost of [true, false]) {
        await page.goto(`${server.url}/dashboard${path}`)
        await page.getByRole('button', { name: button, exact: true }).first().click()
        const dialog = page.getByRole('dialog')
        if (name !== undefined) await dialog.getByLabel('Name', { exact: true }).fill(name)
        const answered = page.waitForResponse((each) => each.request().method() === 'POST')
        await dialog.getByRole('button', { name: submit, exact: true }).click()
        expect((await answered).ok()).toBe(!isLost)
        // The answer is worked off before the page goes.
        if (isLost) await dialog.getByText('http_502').waitFor()
      }
    }
    await makes(`/accounts/${ACCOUNT}/keys`, 'New key', 'Create key', 'Laptop')
    await makes(`/accounts/${ACCOUNT}/keys`, 'Rotate', 'Rotate')
    await makes('/operator/access', 'New token', 'New token', 'export')
    await makes('/operator/accounts', 'Open account', 'Open account', 'Initech')
    const keysOf = (made: string) => asked.flatMap(([kind, key]) => (kind === made ? [key] : []))
    for (const made of ['key', 'rotated', 'token', 'account']) {
      const [first, second, ...others] = keysOf(made)
      expect.soft(first, made).toMatch(/^dashboard-/)
      expect.soft(second, made).toBe(first)
      expect.soft(others, made).toEqual([])
    }
    expect(new Set(asked.map(([, key]) => key)).size).toBe(4)
  })

  test('says that it was done before is not reviewed as if it would move something', async () => {
    const { server } = opened
    const done = { id: 'adj_1', created: false, dry_run: true, amount: '5.00' }
    server.adminAnswers = {
      ...fullAdminAnswers,
      adjust: () => ({ ...done, balance_before: null, balance_after: '46.2098313' }),
    }
    await openAccount()
    const { dialog, press } = await openForm('Adjust')
    await dialog.getByLabel('Amount in dollars').fill('5')
    await dialog.getByLabel('Reason').fill('Invoice 42')
    await press('Review')
    await dialog.getByText('was not done again').waitFor()
    expect(await dialog.getByText('Unavailable').count()).toBe(0)
    expect(await dialog.getByRole('button', { name: 'Adjust', exact: true }).isDisabled()).toBe(
      true,
    )
  })

  test('is slow is about what was sent: what is typed meanwhile is reviewed for itself', async () => {
    const { page } = opened
    await openAccount()
    const asked = Promise.withResolvers<void>()
    const typed = Promise.withResolvers<void>()
    const { dialog, press } = await openGrant('5')
    await page.route(`**/admin/accounts/${ACCOUNT}`, async (route) => {
      asked.resolve()
      await typed.promise
      await route.continue()
    })
    await press('Review')
    await asked.promise
    await dialog.getByLabel('Amount in dollars').fill('500')
    const answered = page.waitForResponse(`**/admin/accounts/${ACCOUNT}`)
    typed.resolve()
    await answered
    await expect
      .poll(() => dialog.getByRole('button', { name: 'Review', exact: true }).isEnabled())
      .toBe(true)
    expect(await dialog.getByRole('button', { name: 'Grant credit', exact: true }).count()).toBe(0)
    await page.unrouteAll()
  })
})
