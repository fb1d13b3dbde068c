/** `svc user …`: how people are let in, kept out and forgotten from a terminal. */
import { startDashboard, type TestBrowser } from '@svc/testing/dashboard-server'
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { expect, test } from 'vitest'

/** `svc user …` on a folder, which has to go well. @returns runs one, and gives what it prints */
function userCommands(dataDir: string) {
  return async (...args: string[]) => {
    const ran = await svc(['--data-dir', dataDir, '--json', 'user', ...args])
    expect(ran.code, ran.err).toBe(0)
    return JSON.parse(ran.out)
  }
}

test('a link of the terminal lets somebody in, who is then kept out and forgotten', async () => {
  await using dashboard = await startDashboard()
  const { dataDir, accountId } = dashboard
  const user = userCommands(dataDir)
  const invited = await user('invite', '--account', accountId, '--as', 'member')
  expect(invited.schema).toBe('svc.user-invited/1')
  const browser = dashboard.browser()
  const session = await browser.join(invited.link, 'Mia')
  expect(session.accounts).toMatchObject([{ account_id: accountId, role: 'member' }])
  const id = session.user?.user_id ?? ''
  const signedIn = async (who: TestBrowser) => (await who.ask('GET', '/sessions')).status === 200

  const { users } = await user('list')
  expect(users).toMatchObject([
    { display_name: 'Olive', platform_role: 'owner' },
    { user_id: id, email: 'mia@example.com', status: 'active' },
  ])
  const unasked = await svc(['--data-dir', dataDir, 'user', 'disable', id])
  expect(unasked).toMatchObject({ code: 2, err: expect.stringContaining('say --yes') })
  expect(unasked.err).not.toContain('cannot be undone')
  expect(await user('disable', id, '--yes')).toMatchObject({ status: 'disabled', changed: true })
  expect(await signedIn(browser)).toBe(false)
  await expect(browser.signIn('Mia')).rejects.toThrow('401')
  expect(await user('disable', id, '--yes')).toMatchObject({ changed: false })
  expect(await user('enable', id)).toMatchObject({ status: 'active', changed: true })
  await browser.signIn('Mia')

  const reset = await user('reset-link', id)
  const secret = reset.link.split('#')[1]
  await browser.json('POST', '/links/accept', { secret, password: 'a password of hers' })
  await expect(browser.signIn('Mia')).rejects.toThrow('401')
  await browser.signIn('Mia', 'a password of hers')

  expect(await user('erase', id, '--yes')).toMatchObject({ changed: true })
  expect(await signedIn(browser)).toBe(false)
  const shown = await svc(['--data-dir', dataDir, 'user', 'list'])
  expect(shown.out).toContain('erased')
  expect(shown.out).not.toContain('mia@example.com')
})

test('what a user may do is changed, and a link that went astray is made useless', async () => {
  await using dashboard = await startDashboard()
  const { dataDir, accountId } = dashboard
  const user = userCommands(dataDir)
  const mia = dashboard.browser()
  const joined = await user('invite', '--account', accountId, '--as', 'member')
  const id = (await mia.join(joined.link, 'Mia')).user?.user_id ?? ''
  expect(await user('set-role', id, 'auditor')).toMatchObject({
    platform_role: 'auditor',
    changed: true,
  })
  expect(await user('set-account', id, accountId, 'owner')).toMatchObject({ changed: true })
  expect((await user('list')).users).toContainEqual(
    expect.objectContaining({
      user_id: id,
      platform_role: 'auditor',
      accounts: [{ account_id: accountId, role: 'owner' }],
    }),
  )
  expect(await user('set-role', id, 'none', '--yes')).toMatchObject({ platform_role: null })
  const out = ['set-account', id, accountId, 'none', '--yes']
  expect(await user(...out)).toMatchObject({ account_role: null, changed: true })
  expect(await user(...out)).toMatchObject({ changed: false })

  const astray = await user('invite', '--account', accountId)
  const { links } = await user('links')
  expect(links).toMatchObject([
    { account_id: accountId, account_role: 'owner', created_by: 'operator' },
  ])
  const linkId = links[0].invitation_id
  expect(linkId).toBe(astray.invitation_id)
  expect(JSON.stringify(links)).not.toContain(astray.link.split('#')[1])
  expect(await user('revoke-link', linkId, '--yes')).toMatchObject({ changed: true })
  await expect(dashboard.browser().join(astray.link, 'Eve')).rejects.toThrow('404')
  const none = await svc(['--data-dir', dataDir, 'user', 'links'])
  expect(none.err).toContain('there are no links that can be used')
  const gone = await svc(['--data-dir', dataDir, 'user', 'revoke-link', linkId, '--yes'])
  expect(gone.code).toBe(3)

  await user('invite', '--role', 'auditor', '--account', accountId, '--as', 'member')
  await user('reset-link', id)
  const table = await svc(['--data-dir', dataDir, 'user', 'links'])
  expect(table.out).toContain(`auditor of the service, member of ${accountId}`)
  expect(table.out).toContain(`a password for ${id}`)
  expect(table.out).toMatch(/ BY +ENDS\n.* operator +\d/)
})

test('a user is named by e-mail address as well as by id', async () => {
  await using dashboard = await startDashboard()
  const { dataDir, accountId } = dashboard
  const user = userCommands(dataDir)
  const joined = await user('invite', '--account', accountId, '--as', 'member')
  const id = (await dashboard.browser().join(joined.link, 'Mia')).user?.user_id ?? ''
  const email = 'Mia@Example.com'
  for (const command of [
    ['set-role', email, 'auditor'],
    ['set-account', email, accountId, 'owner'],
    ['disable', email, '--yes'],
    ['enable', email],
    ['erase', email, '--yes'],
  ]) {
    expect(await user(...command)).toMatchObject({ user_id: id, changed: true })
  }
  const gone = await svc(['--data-dir', dataDir, 'user', 'reset-link', email])
  const told = `no user has the e-mail address ${email}: see svc user list`
  expect([gone.code, gone.err]).toEqual([3, expect.stringContaining(told)])
})

test('on a stopped folder an owner can be let in, by a link without an address', async () => {
  const { path } = await folderWithHistory()
  const ran = await svc(['--data-dir', path, 'user', 'invite', '--role', 'owner'])
  expect(ran.code, ran.err).toBe(0)
  expect(ran.out).toMatch(/^link +\/dashboard\/join#svc-link-\S+$/m)
  expect(ran.err).toContain('put the address of the server before it\n')
  expect(ran.err).toContain('shown this once')
  const table = await svc(['--data-dir', path, 'user', 'list'])
  expect(table.err).toMatch(/^there are no users$/m)
  const listed = await svc(['--data-dir', path, '--json', 'user', 'list'])
  expect(JSON.parse(listed.out)).toMatchObject({ schema: 'svc.users/1', users: [] })
})

test('nobody is kept out or forgotten without being asked about', async () => {
  const { path } = await folderWithHistory()
  for (const [command, question] of [
    ['disable', 'Keep usr_x out? Every session ends at once.'],
    ['erase', 'Forget for ever who usr_x is?'],
  ] as const) {
    const refused = await svc(['--data-dir', path, 'user', command, 'usr_x'])
    expect(refused.code).toBe(2)
    expect(refused.err).toContain(`svc: ${question} There is nobody to ask: say --yes`)
    const declined = await svc(['--data-dir', path, 'user', command, 'usr_x'], { answer: false })
    expect(declined.code).not.toBe(0)
  }
  for (const taken of [
    ['set-role', 'usr_x', 'none'],
    ['set-account', 'usr_x', 'acct_x', 'none'],
    ['revoke-link', 'link_x'],
  ]) {
    const refused = await svc(['--data-dir', path, 'user', ...taken])
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('--yes')])
  }
  const unknown = await svc(['--data-dir', path, 'user', 'disable', 'usr_x', '--yes'])
  expect([unknown.code, unknown.err]).toEqual([
    3,
    expect.stringContaining('There is no user usr_x'),
  ])
  const nothing = await svc(['--data-dir', path, 'user', 'invite'])
  const told =
    'svc: --account: name the account that the person joins, or in --role the part that they ' +
    'have in running the service, or both\n'
  expect([nothing.code, nothing.err]).toEqual([2, expect.stringContaining(told)])
})
