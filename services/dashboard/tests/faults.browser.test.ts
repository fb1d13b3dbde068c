/** What goes wrong while a page is open: nothing is lost, and it is said where it happens. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hurryUntil } from '../testing/hurry.ts'
import { type PageServer, Refused } from '../testing/page-server.ts'
import {
  ACCOUNT,
  fullAnswers,
  HOSTILE,
  receipt,
  session,
  signedOut,
} from '../testing/sample-answers.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
const notSignedIn = () => new Refused(401, 'not_signed_in', 'You are not signed in.')
const away = () => new Refused(503, 'store_unavailable', 'The store is away.')

describe.skipIf(missing !== undefined)('faults', () => {
  let server: PageServer
  let page: Page
  withPages({ answers: fullAnswers }, (opened) => {
    server = opened.server
    page = opened.page
  })

  const open = (path: string) => page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}${path}`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  test('a session that ends in the middle keeps what was typed', async () => {
    await open('/keys?create=true')
    await page.getByLabel('Name').fill('Nightly batch')
    server.answers = { ...fullAnswers, createAccountKey: notSignedIn }
    await button('Create key').click()
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
    server.answers = {
      ...fullAnswers,
      signIn: () => session,
      createAccountKey: () => ({ key_id: 'key_9', secret: 'sk-svc-once' }),
    }
    await page.getByLabel('E-mail address').fill('ada@example.com')
    await page.getByLabel('Password').fill('a long password')
    await button('Sign in').click()
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Name').inputValue()).toBe('Nightly batch')
    await button('Create key').click()
    await page.getByText('sk-svc-once', { exact: true }).waitFor()
  })

  test('a change without a network is refused at once, and not made later', async () => {
    let asked = 0
    server.answers = {
      ...fullAnswers,
      createAccountKey: () => {
        asked += 1
        return { key_id: 'key_9', secret: 'sk-svc-once' }
      },
    }
    await open('/keys?create=true')
    await page.getByLabel('Name').fill('Nightly batch')
    await page.context().setOffline(true)
    await button('Create key').click()
    await page.getByText('The server cannot be reached').waitFor()
    await page.context().setOffline(false)
    expect(await page.getByLabel('Name').inputValue()).toBe('Nightly batch')
    expect(asked).toBe(0)
    await button('Create key').click()
    await page.getByText('sk-svc-once', { exact: true }).waitFor()
    expect(asked).toBe(1)
  })

  test.each<readonly [what: string, accounts: typeof session.accounts]>([
    ['no account', []],
    ['another account', [{ account_id: 'acct_2', name: 'Zuse KG', role: 'owner', status: 'open' }]],
  ])('who is taken out of the account is shown what is left: %s', async (_what, accounts) => {
    await open('/keys')
    const statement = page.getByRole('link', { name: 'Statement', exact: true })
    await statement.waitFor()
    const gone = () => new Refused(404, 'not_found', 'There is no such account.', 'account_id')
    server.answers = {
      session: () => ({ ...session, accounts }),
      accountStatement: gone,
      accountHome: fullAnswers.accountHome,
    }
    // No hover before it, which asks as well.
    await statement.dispatchEvent('click')
    await page.getByText('belongs to an account that you are not in').waitFor()
    expect(await statement.count()).toBe(0)
    await page.getByRole('link', { name: 'Go to the start' }).click()
    const [left] = accounts
    await page
      .getByText(left === undefined ? 'No account yet' : 'Zuse KG')
      .first()
      .waitFor()
  })

  test('a new key stays until it is stored: UX-20', async () => {
    server.answers = {
      ...fullAnswers,
      createAccountKey: () => ({ key_id: 'key_9', secret: 'sk-svc-once' }),
    }
    await open('/keys?create=true')
    await page.getByLabel('Name').fill('x')
    await button('Create key').click()
    const secret = page.getByText('sk-svc-once', { exact: true })
    await secret.waitFor()
    const timesClosed = await page.getByRole('dialog').evaluateHandle((dialog) => {
      const times = { count: 0 }
      dialog.addEventListener('close', () => times.count++)
      return times
    })
    for (let press = 0; press < 5; press++) await page.keyboard.press('Escape')
    // An event is told in a turn of its own: the last one must have come as well.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 100)))
    expect(await timesClosed.evaluate(({ count }) => count)).toBe(0)
    expect(await secret.isVisible()).toBe(true)
    await button('I have stored it').click()
    await secret.waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain('sk-svc-once')
    const { display_name: name } = fullAnswers.listMembers()[0] ?? {}
    await page.getByText(`by ${name}`).waitFor()
    await page.getByText('by the operator').waitFor()
  })

  test('who asks for more rows in vain reads why beside the button', async () => {
    const more = { ...fullAnswers.requests(), next_cursor: 'more' }
    const requests = ({ cursor }: { readonly cursor?: string | undefined }) =>
      cursor === undefined ? more : new Refused(500, 'server_error', 'The list broke.')
    server.answers = { ...fullAnswers, requests }
    await open('/requests')
    const below = page.locator('div', { has: button('Load more') }).last()
    await button('Load more').click()
    await below.getByText('The list broke.').waitFor()
    server.answers = fullAnswers
    await button('Load more').click()
    await page.getByText('The list broke.').first().waitFor({ state: 'detached' })
  })

  test('what is said of old numbers in a card keeps off the numbers', async () => {
    await page.clock.install()
    await open('')
    const card = page.locator('section', {
      has: page.getByRole('heading', { name: 'Newest requests' }),
    })
    await card.locator('tbody tr').first().waitFor()
    server.answers = { ...fullAnswers, requests: away }
    const notice = card.getByRole('status')
    await hurryUntil(page, notice)
    const [above, below] = [await notice.boundingBox(), await card.locator('table').boundingBox()]
    const bottom = (above?.y ?? 0) + (above?.height ?? 0)
    expect((below?.y ?? 0) - bottom).toBeGreaterThan(8)
  })

  test('the price of a model that comes later is there before the next question: UX-40', async () => {
    await page.clock.install()
    const none = { ...fullAnswers.prices(), data: [] }
    server.answers = { ...fullAnswers, prices: () => none }
    await open('/chat')
    await page.getByText('As of event').waitFor()
    expect(await page.getByText('Dollars per million tokens').count()).toBe(0)
    server.answers = fullAnswers
    await hurryUntil(page, page.getByText('Dollars per million tokens'))
  })

  test('a store that is away leaves the numbers, marked as old: UX-13', async () => {
    await page.clock.install()
    await open('')
    await page.getByText('$41.20').first().waitFor()
    server.answers = { ...fullAnswers, accountHome: away }
    await hurryUntil(page, page.getByText(/These numbers are from before: The store is away/))
    expect(await page.getByText('$41.20').first().isVisible()).toBe(true)
    server.answers = fullAnswers
    await button('Try again').click()
    await page.getByText(/from before/).waitFor({ state: 'detached' })
  })

  test('a key that another tab revoked is told so, and the list is right: UX-22', async () => {
    let isRevoked = false
    server.answers = {
      ...fullAnswers,
      listAccountKeys: () => {
        const [first, ...others] = fullAnswers.listAccountKeys()
        return first === undefined || !isRevoked
          ? fullAnswers.listAccountKeys()
          : [{ ...first, status: 'revoked' }, ...others]
      },
      revokeAccountKey: () => {
        isRevoked = true
        return { revoked_at: '2026-11-20T10:00:00.000Z', already_revoked: true }
      },
    }
    await open('/keys')
    await button('Revoke').click()
    await page.getByText('within a second').waitFor()
    await page.getByText('12 requests in the last 24 hours').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await button('Revoke').waitFor({ state: 'detached' })
  })

  test('days in the wrong order are told where they are typed, and asked of nobody', async () => {
    const asked: unknown[] = []
    server.answers = {
      ...fullAnswers,
      requests: (input) => {
        asked.push(input.from, input.to)
        return fullAnswers.requests()
      },
    }
    await open('/requests?from=2026-11-10&zone=UTC')
    await page.locator('tr[data-row]').first().waitFor()
    const problem = page.getByText('This is before the first day.')
    await page.getByLabel('To', { exact: true }).fill('2026-11-01')
    await problem.waitFor()
    expect(page.url()).not.toContain('to=')
    await page.getByLabel('From').fill('2026-11-01')
    await problem.waitFor({ state: 'detached' })
    await expect.poll(() => asked).toEqual(['2026-11-10', undefined, '2026-11-01', '2026-11-02'])
    expect(page.url()).toContain('from=2026-11-01&zone=UTC&to=2026-11-01')
  })

  test('who cannot make a key is sent to an owner for one', async () => {
    const accountHome = () => ({
      ...fullAnswers.accountHome(),
      keys: { active: 0 },
      month: { ...fullAnswers.accountHome().month, data: [] },
    })
    server.answers = { ...fullAnswers, accountHome }
    await open('')
    await page.getByText('Your first request').waitFor()
    const offers = page.getByRole('link', { name: 'New key' })
    expect(await offers.count()).toBe(2)
    const accounts = session.accounts.map((each) => ({ ...each, role: 'member' as const }))
    server.answers = { ...fullAnswers, accountHome, session: () => ({ ...session, accounts }) }
    await page.reload()
    await page.getByText('Ask an owner of the account for a key.').waitFor()
    expect(await offers.count()).toBe(0)
  })

  test('tokens that were reused within the first block are not called none', async () => {
    const { cache } = receipt
    if (cache === null) throw new Error('no evidence of a cache')
    const part = { ...cache, blocks: 0, reused_tokens: 11, last_block_hash: null }
    server.answers = { ...fullAnswers, receipt: () => ({ ...receipt, cache: part }) }
    await open('/requests?request=req_1')
    await page.getByText('part of one (l1)').waitFor()
  })

  test('ages are those of the server, whatever the clock of the browser says', async () => {
    await page.clock.install({ time: '2020-01-01T00:00:00Z' })
    await open('/keys')
    await page.locator('time').first().waitFor()
    expect(await page.locator('time').first().textContent()).toMatch(
      /^just now$|^\d+ seconds? ago$/,
    )
  })

  test('a name never turns the sentence that it stands in', async () => {
    server.answers = { ...fullAnswers, session: () => signedOut }
    await page.goto(`${server.url}/dashboard/join#secret`)
    const sentence = page.getByText('You are invited to the account')
    await sentence.waitFor()
    expect(await sentence.textContent()).toMatch(/ w{120}” as member\.$/)
    // The first letter of the last word stands at the left of its last.
    const isInOrder = await page.evaluate<boolean>(`(() => {
      const lines = [...document.querySelectorAll('p')]
      const { firstChild: text } = lines.find((p) => p.textContent.includes('You are invited'))
      const leftOf = (at) => {
        const range = document.createRange()
        range.setStart(text, at)
        range.setEnd(text, at + 1)
        return range.getBoundingClientRect().left
      }
      return leftOf(text.length - 7) < leftOf(text.length - 1)
    })()`)
    expect(isInOrder).toBe(true)
  })

  test('a name is text, whatever it looks like', async () => {
    await open('/keys')
    const name = page.locator('td bdi').first()
    expect(await name.textContent()).toBe(HOSTILE)
    expect(await page.locator('main img').count()).toBe(0)
  })

  describe('of the chat', () => {
    const chunk = (delta: object, finish: string | null = null) =>
      `data: ${JSON.stringify({
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: finish }],
      })}\n\n`
    const usage = `data: ${JSON.stringify({
      choices: [],
      usage: {
        prompt_tokens: 17_903,
        completion_tokens: 4,
        prompt_tokens_details: { cached_tokens: 17_817 },
        cost: '0.000527355',
      },
    })}\n\n`
    const ask = async () => {
      await open('/chat')
      await page.getByLabel('Your question').fill('Why?')
      await button('Send').click()
    }

    test('an answer shows its classes of tokens apart, and its cost: UX-03, UX-40', async () => {
      server.chat = () =>
        `${chunk({ content: '**Yes**' }) + chunk({}, 'stop') + usage}data: [DONE]\n\n`
      await ask()
      await page.getByText('86 input, 17,817 cached, 4 output tokens').waitFor()
      await page.getByText('$0.000527355').first().waitFor()
      expect(await page.locator('.markdown strong').textContent()).toBe('Yes')
    })

    test('what a model writes can do nothing: UX-42', async () => {
      const bad =
        '<img src=x onerror=alert(1)><script>alert(2)</script>[a](javascript:alert(3)) ' +
        '![b](http://example.com/b.png) [c](http://example.com)<form action=/x><input></form>'
      const dialogs: string[] = []
      page.on('dialog', (dialog) => dialogs.push(dialog.message()))
      server.chat = () => `${chunk({ content: bad }) + chunk({}, 'stop') + usage}data: [DONE]\n\n`
      await ask()
      await page.getByText('output tokens').waitFor()
      const html = await page.locator('.markdown').innerHTML()
      expect(html).not.toMatch(/<img|<script|<form|<input|javascript:|onerror/)
      expect(html).toContain('rel="noopener noreferrer nofollow"')
      expect(dialogs).toEqual([])
    })

    test('without credit it says so in place, and the question is not lost: UX-41', async () => {
      server.chat = () => new Refused(402, 'insufficient_quota', 'Available $0.01, required $0.02.')
      await ask()
      await page.getByText('Available $0.01, required $0.02.').waitFor()
      expect(await page.getByLabel('Your question').inputValue()).toBe('Why?')
    })

    test('a stream that is cut says so, and what it cost: UX-16', async () => {
      server.answers = { ...fullAnswers, receipt: () => ({ ...receipt, status: 'stopped' }) }
      server.chat = () => chunk({ content: 'Half of' })
      await ask()
      await page.getByText(/The answer broke off. Its receipt says what was charged/).waitFor()
      await page.getByText('86 input, 17,817 cached, 412 output tokens').waitFor()
      expect(await page.getByText('Half of').isVisible()).toBe(true)
    })

    test('a reload keeps the conversation and what was typed', async () => {
      server.chat = () =>
        `${chunk({ content: 'Kept' }) + chunk({}, 'stop') + usage}data: [DONE]\n\n`
      await ask()
      await page.getByText('output tokens').waitFor()
      await page.getByLabel('Your question').fill('And then?')
      await page.reload()
      await page.getByText('Kept').waitFor()
      expect(await page.getByLabel('Your question').inputValue()).toBe('And then?')
    })
  })
})
