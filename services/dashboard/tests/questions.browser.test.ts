/** What changes who may do what: nothing of it happens before a question is answered. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { type AdminAnswers, type PageServer, Refused } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers, session } from '../testing/sample-answers.ts'
import { ownerPages } from '../testing/service-roles.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()

describe.skipIf(missing !== undefined)('an owner', () => {
  let server: PageServer
  let page: Page
  let asked: unknown[]
  withPages(ownerPages, (opened) => {
    server = opened.server
    page = opened.page
    asked = []
  })

  const answer = (answers: AdminAnswers) => {
    server.adminAnswers = { ...fullAdminAnswers, ...answers }
  }
  const openAccess = () => page.goto(`${server.url}/dashboard/operator/access`)
  const card = (title: string) =>
    page.locator('section', { has: page.getByRole('heading', { name: title, exact: true }) })
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  test('gives a user another role, disables and erases one, each after a question', async () => {
    answer({
      setUserRole: (input) => {
        asked.push(input)
        if (asked.length === 1) return new Refused(503, 'store_unavailable', 'The store is away.')
        return { user_id: input.user_id, changed: true }
      },
      setUserStatus: (input) => {
        asked.push(input)
        return { user_id: input.user_id, changed: true }
      },
      eraseUser: (input) => {
        asked.push(input)
        return { user_id: input.user_id, changed: true }
      },
    })
    await openAccess()
    const role = page.getByLabel(/^Role of <img/)
    const dialog = page.getByRole('dialog')
    const confirm = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
    const isFocused = () => role.evaluate((select) => select.matches(':focus'))
    await role.focus()
    await page.keyboard.press('ArrowDown')
    await dialog
      .getByRole('heading', { name: /^Change the role of “.*<img.*to auditor\?$/ })
      .waitFor()
    await dialog.getByText('An auditor reads all accounts').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await role.inputValue()).toBe('customer')
    expect(await isFocused()).toBe(true)
    expect(asked).toEqual([])
    await role.selectOption('operator')
    await confirm('Change role')
    await dialog.getByText('The store is away.').waitFor()
    await confirm('Cancel')
    await role.selectOption('auditor')
    expect(await dialog.getByText('The store is away.').count()).toBe(0)
    await confirm('Change role')
    await dialog.waitFor({ state: 'detached' })
    expect(asked.at(-1)).toEqual({ user_id: 'user_2', platform_role: 'auditor' })
    expect(await isFocused()).toBe(true)
    await button('Disable').click()
    await dialog.getByText('Their sessions end at once').waitFor()
    expect(asked).toHaveLength(2)
    await confirm('Disable')
    await dialog.waitFor({ state: 'detached' })
    expect(asked.at(-1)).toEqual({ user_id: 'user_2', status: 'disabled' })
    await button('Erase').click()
    await page.getByText('This cannot be undone.').waitFor()
    expect(asked).toHaveLength(3)
    await confirm('Erase')
    await dialog.waitFor({ state: 'detached' })
    expect(asked.at(-1)).toEqual({ user_id: 'user_2' })
  })

  test('tells a part in the running, one in an account and a new password apart', async () => {
    const [link] = fullAdminAnswers.listInvitations()
    if (link === undefined) throw new Error('no link')
    const member = { account_id: 'acct_1', account_role: 'owner' } as const
    const links = [
      { ...link, platform_role: 'owner', created_by: 'user:user_1' },
      { ...link, ...member, platform_role: null },
      { ...link, ...member, platform_role: 'auditor', account_role: 'member' },
      { ...link, kind: 'reset', platform_role: null, user_id: 'user_1' },
    ] as const
    answer({
      listInvitations: () => links.map((each, i) => ({ ...each, invitation_id: `inv_${i}` })),
    })
    await openAccess()
    const rows = card('Open invitations').locator('tbody tr')
    const shown = async () => {
      const cells = await Promise.all(
        (await rows.all()).map((row) => row.locator('td').allTextContents()),
      )
      return cells.map(([opened, account, maker]) => [opened, account, maker])
    }
    await expect.poll(shown).toEqual([
      ['owner', '–', 'Ada Lovelace'],
      ['customer', 'acct_1owner', 'operator'],
      ['auditor', 'acct_1member', 'operator'],
      ['Reset linkAda Lovelace', '–', 'operator'],
    ])
  })

  test('reads who made an admin token by the name of that user', async () => {
    const made = { created_by: 'user:user_1' }
    answer({
      listAdminTokens: () => fullAdminAnswers.listAdminTokens().map((all) => ({ ...all, ...made })),
    })
    await openAccess()
    await card('Admin tokens').getByText('Ada Lovelace').first().waitFor()
  })

  test('makes a link useless after a question', async () => {
    answer({
      revokeInvitation: (input) => {
        asked.push(input)
        return { invitation_id: input.invitation_id, changed: true }
      },
    })
    await openAccess()
    await card('Open invitations').getByRole('button', { name: 'Revoke' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Whoever has the link cannot use it').waitFor()
    expect(asked).toEqual([])
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(asked).toEqual([{ invitation_id: 'inv_1' }])
  })

  test('is offered as an operator nothing that is about those who run the service', async () => {
    const operator = { session: () => ({ ...session, platform_role: 'operator' as const }) }
    server.answers = { ...fullAnswers, ...operator }
    const [user] = fullAdminAnswers.listUsers()
    const [link] = fullAdminAnswers.listInvitations()
    if (user === undefined || link === undefined) throw new Error('no user or no link')
    const auditor = { ...user, user_id: 'user_4', display_name: 'Aude' }
    const made = { ...link, platform_role: null }
    answer({
      listUsers: () => [
        { ...auditor, platform_role: 'auditor' },
        { ...auditor, user_id: 'user_5', display_name: 'Cora', platform_role: null },
      ],
      listInvitations: () => [
        { ...made, invitation_id: 'inv_1', platform_role: 'auditor' },
        { ...made, invitation_id: 'inv_2', kind: 'reset', user_id: 'user_4' },
        { ...made, invitation_id: 'inv_3', account_id: ACCOUNT, account_role: 'owner' },
      ],
    })
    await openAccess()
    const offered = async (title: string) => {
      const rows = await card(title).locator('tbody tr').all()
      return Promise.all(rows.map((row) => row.getByRole('button').allTextContents()))
    }
    await expect.poll(() => offered('Users')).toEqual([[], ['Reset link', 'Disable']])
    await expect.poll(() => offered('Open invitations')).toEqual([[], [], ['Revoke']])
  })

  test('members change, and links end, only after a question', async () => {
    const changed = (input: object) => {
      asked.push(input)
      return { changed: true } as never
    }
    server.answers = {
      ...fullAnswers,
      setMemberRole: changed,
      removeMember: changed,
      revokeAccountInvitation: changed,
    }
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}/members`)
    const dialog = page.getByRole('dialog')
    const change = async (name: string, title: string) => {
      await button(name).click()
      await dialog.getByRole('heading', { name: title }).waitFor()
      const before = asked.length
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(asked).toHaveLength(before)
      await button(name).click()
      await dialog.getByRole('button', { name, exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await change('Make member', 'Make “Ada Lovelace” a member?')
    await change('Remove', 'Remove “Ada Lovelace” from the account?')
    await change('Revoke', 'Revoke the link made')
    expect(asked).toEqual([
      { account_id: ACCOUNT, user_id: 'user_1', role: 'member' },
      { account_id: ACCOUNT, user_id: 'user_1' },
      { account_id: ACCOUNT, invitation_id: 'inv_1' },
    ])
  })
})
