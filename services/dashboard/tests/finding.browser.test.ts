/** Finding things: filters in the address, any id, keys of the keyboard, files, copied texts. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { type PageServer, Refused } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ACCOUNT, fullAnswers, receipt, session } from '../testing/sample-answers.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()
/** An address of a local network, where browsers withhold the clipboard. */
const LAN = 'console.lan'
const EVENT = '0d4c1fbe-9a71-8a5b-b3c1-24f1d0f6a0e2'
const fail = (): never => expect.fail('it is not drawn')

describe.skipIf(missing !== undefined)('finding', () => {
  let server: PageServer
  let page: Page
  const args = [`--host-resolver-rules=MAP ${LAN} 127.0.0.1`]
  withPages({ answers: fullAnswers, adminAnswers: fullAdminAnswers, args }, (opened) => {
    server = opened.server
    page = opened.page
  })

  const path = (of: string) => `/dashboard/accounts/${ACCOUNT}${of}`
  const open = (of: string) => page.goto(`${server.url}${path(of)}`)
  const find = async (text: string) => {
    // The page of accounts has a field of its own to search by.
    await page.locator('[data-find]').fill(text)
    await page.keyboard.press('Enter')
  }

  test('filters are in the address, a reload keeps them, and they are taken off: UX-30, UX-36', async () => {
    const asked: unknown[] = []
    server.answers = {
      ...fullAnswers,
      requests: (input) => {
        asked.push(input)
        const { data, ...list } = fullAnswers.requests()
        return { ...list, data: input.format === 'messages' ? [] : data, next_cursor: null }
      },
    }
    await open('/requests')
    await page.locator('tr[data-row]').first().waitFor()
    await page.getByLabel('Model').selectOption('svc-beta')
    await page.getByLabel('Format').selectOption('messages')
    await page.getByText('No request fits these filters.').waitFor()
    expect(asked.at(-1)).toMatchObject({ model: 'svc-beta', format: 'messages' })
    await page.reload()
    await page.getByText('No request fits these filters.').waitFor()
    expect(new URL(page.url()).search).toBe('?model=svc-beta&format=messages')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.locator('tr[data-row]').first().waitFor()
    expect(new URL(page.url()).search).toBe('')
  })

  test('below the list stand the sums of all its requests, by status: UX-05, UX-32', async () => {
    const asked: unknown[] = []
    server.answers = {
      ...fullAnswers,
      requestTotals: (input) => {
        asked.push(input)
        return fullAnswers.requestTotals(input)
      },
    }
    const foot = page.locator('tfoot tr')
    const texts = async () => {
      const rows = await foot.all()
      return Promise.all(rows.map((row) => row.locator('td').allInnerTexts()))
    }
    await open('/requests?model=svc-beta&from=2026-11-01&to=2026-11-20&zone=UTC')
    await expect.poll(texts).toEqual([
      ['4,000 of them', 'finished', '86,000', '17,817,000', '412,000', '$2.10942'],
      ['100 of them', 'stopped', '86,000', '17,817,000', '412,000', '$0.00527355001'],
      ['20 of them', 'failed', '0', '0', '0', '–'],
      [
        'All 4,120 requests 1 Nov 2026 to 20 Nov 2026, UTC',
        ...['172,000', '35,634,000', '824,000', '$2.11469355001'],
      ],
    ])
    const period = { from: '2026-11-01', to: '2026-11-21', zone: 'UTC' }
    expect(asked).toEqual([{ account_id: ACCOUNT, model: 'svc-beta', ...period }])
    await page.getByLabel('Status').selectOption('stopped')
    await expect
      .poll(texts)
      .toEqual([
        [
          'All 100 requests 1 Nov 2026 to 20 Nov 2026, UTC',
          ...['86,000', '17,817,000', '412,000', '$0.00527355001'],
        ],
      ])
    expect(asked.at(-1)).toMatchObject({ status: 'stopped', model: 'svc-beta', ...period })
  })

  test('any id leads to what it names; where there is none it says where it looked: UX-31', async () => {
    server.answers = {
      ...fullAnswers,
      receipt: ({ id }) => (id === 'req_9' ? new Refused(404, 'not_found', 'No.') : receipt),
    }
    await open('/statement')
    await page.getByText('Closing balance').waitFor()
    await find('chatcmpl-1')
    await page.getByText('Tokens × price').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await find('req_9')
    await page.getByText('No request of this account has the id req_9, of all time.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await find('key_1')
    await page.waitForURL(/requests\?key=key_1$/)
    await find(EVENT)
    await page.waitForURL(/requests\?request=chatcmpl-1$/)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    server.answers = { ...fullAnswers, accountEvent: () => new Refused(404, 'not_found', 'No.') }
    await find(EVENT)
    await page.getByText(`No event of this account has the id ${EVENT}, of all time.`).waitFor()
  })

  test.each(['/requests', '/statement', '/usage', '/usage?group=key'])(
    'the numbers of %s say which event they are up to, and when: UX-13',
    async (of) => {
      await open(of)
      const line = page.getByText('As of event 182,440,')
      await line.waitFor()
      expect(await line.count()).toBe(1)
      expect(await line.locator('time').getAttribute('datetime')).toBe('2026-11-20T10:00:00.000Z')
    },
  )

  test('the balance beside the chat says which event it is up to: UX-13', async () => {
    await open('/chat')
    await page.getByText('As of event 182,440,').waitFor()
  })

  test('sums name what of time they are of, and its zone: UX-05', async () => {
    const period = '1 Nov 2026 to 30 Nov 2026, UTC'
    await open('')
    await page.getByText(`Used, ${period}`).waitFor()
    await open('/usage?group=key')
    await page.locator('tfoot').getByText(period).waitFor()
    await page.getByRole('button', { name: 'Show as table' }).first().click()
    expect(await page.locator('tfoot').getByText(period).count()).toBe(2)
  })

  test('a receipt says since when its price is valid, where that is known: UX-12', async () => {
    await open('/requests?request=req_1')
    const panel = page.getByRole('dialog', { name: 'Receipt' })
    const since = panel.getByText('This price is valid from')
    expect(await since.locator('time').getAttribute('datetime')).toBe('2026-11-01T00:00:00.000Z')
    const { price } = receipt
    server.answers = {
      ...fullAnswers,
      receipt: () => ({ ...receipt, price: { ...price, effective_from: null } }),
    }
    await page.reload()
    await panel.getByText('Tokens × price').waitFor()
    expect(await since.count()).toBe(0)
  })

  test('a receipt has its own address beside the list, in this tab or in another: UX-35', async () => {
    await open('/requests?model=svc-beta')
    const first = page.locator('tr[data-row] a').first()
    await first.click()
    const panel = page.getByRole('dialog', { name: 'Receipt' })
    await panel.getByText('Tokens × price').waitFor()
    const search = '?model=svc-beta&request=req_1'
    expect(new URL(page.url()).search).toBe(search)
    await page.reload()
    await panel.getByText('Tokens × price').waitFor()
    expect(await page.locator('tr[data-row]').count()).toBeGreaterThan(1)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?model=svc-beta')
    await page.goForward()
    await panel.waitFor()
    await page.goBack()
    await panel.waitFor({ state: 'detached' })
    const opened = page.context().waitForEvent('page')
    await first.click({ button: 'middle' })
    const tab = await opened
    await tab.getByText('Tokens × price').waitFor()
    expect(new URL(tab.url()).search).toBe(search)
    expect(new URL(page.url()).search).toBe('?model=svc-beta')
  })

  test('a chart shows the figures of the step that is pointed at: UX-61', async () => {
    await open('/usage')
    const chart = page.locator('figure').first()
    const { x, y, width } = (await chart.locator('svg[role=img]').boundingBox()) ?? fail()
    await page.mouse.move(x + width - 40, y + 60)
    await chart.getByText('$0.000267255').waitFor()
    await chart.getByText('$0.0000129').waitFor()
    await page.mouse.move(x + 5, y + 60)
    await expect.poll(() => chart.getByText('$0.000267255').count()).toBe(0)
  })

  test('an operator finds any id of any account: UX-31', async () => {
    server.answers = {
      ...fullAnswers,
      session: () => ({ ...session, platform_role: 'auditor' as const }),
    }
    await page.goto(`${server.url}/dashboard/operator/prices`)
    await page.getByRole('heading', { name: 'Prices' }).first().waitFor()
    await find('chatcmpl-1')
    await page.getByText('Tokens × price').waitFor()
    expect(page.url()).toContain(`/operator/accounts/${ACCOUNT}?view=requests&request=req_1`)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await find(EVENT)
    await page.waitForURL(/operator\/events\?at=182440&who=any&what=any$/)
    await page.getByText(EVENT).waitFor()
    await find('key_1')
    await page.waitForURL(/operator\/accounts\?find=key_1$/)
    await find('grant_1')
    await page.waitForURL(/operator\/accounts\/acct_01sample\?view=grants&grant=grant_1$/)
    await find('price_0001')
    await page.waitForURL(/operator\/prices$/)
    await find('tok_1')
    await page.waitForURL(/operator\/access$/)
  })

  test('back leads through the filters of accounts, not through the letters of a name: UX-30', async () => {
    server.answers = {
      ...fullAnswers,
      session: () => ({ ...session, platform_role: 'auditor' as const }),
    }
    await page.goto(`${server.url}/dashboard/operator/accounts`)
    const search = () => new URL(page.url()).search
    await page.getByLabel('Order').selectOption('name')
    await expect.poll(search).toBe('?order=name')
    await page.getByLabel('Status').selectOption('open')
    await expect.poll(search).toBe('?order=name&status=open')
    const field = page.getByLabel('Find by name, id or external id')
    for (const text of ['Z', 'Zu', 'Zuse']) {
      await field.fill(text)
      await expect.poll(search).toContain(`find=${text}`)
    }
    await page.goBack()
    await expect.poll(search).toBe('?order=name&status=open')
    expect(await field.inputValue()).toBe('')
    await page.goBack()
    await expect.poll(search).toBe('?order=name')
    expect(await page.getByLabel('Status').inputValue()).toBe('')
  })

  test('keys of the keyboard lead around, never while typing, and can be switched off: UX-34', async () => {
    await open('/requests')
    await page.locator('tr[data-row]').first().waitFor()
    for (const key of ['j', 'j', 'k', 'j']) await page.keyboard.press(key)
    const at = await page.evaluate(
      `[...document.querySelectorAll('[data-row]')].findIndex((row) => row.contains(document.activeElement))`,
    )
    expect(at).toBe(1)
    await page.keyboard.press('o')
    await page.getByText('Tokens × price').waitFor()
    expect(page.url()).toContain('request=req_2')
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    expect(page.url()).toContain('/requests')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type('gu?')
    expect(await page.getByRole('searchbox').inputValue()).toBe('gu?')
    await page.getByRole('heading', { name: 'Requests' }).click()
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    await page.keyboard.press('?')
    await page.getByLabel('Single keys do this').uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    await page.keyboard.press('?')
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(page.url()).toContain('/usage')
  })

  test('files are links to the server with what the page asks: UX-33', async () => {
    await open('/requests?format=chat&from=2026-11-01&to=2026-11-02')
    const link = page.getByRole('link', { name: 'CSV' })
    const address = new URL((await link.getAttribute('href')) ?? '', server.url)
    expect(address.pathname).toBe(`/dashboard/api/accounts/${ACCOUNT}/exports/requests`)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      as: 'csv',
      format: 'chat',
      from: '2026-11-01',
      to: '2026-11-03',
    })
  })

  describe('copying', () => {
    const newKey = async (origin: string) => {
      server.answers = {
        ...fullAnswers,
        createAccountKey: () => ({ key_id: 'key_9', secret: 'sk-svc-once' }),
      }
      await page.goto(`${origin}${path('/keys?create=true')}`)
      await page.getByLabel('Name').fill('x')
      await page.getByRole('button', { name: 'Create key', exact: true }).click()
      await page.getByText('sk-svc-once', { exact: true }).waitFor()
    }
    const copy = () => page.getByRole('dialog').getByRole('button', { name: 'Copy' }).first()

    test('works where there is no clipboard to ask for, inside a dialog: UX-21', async () => {
      await newKey(`http://${LAN}:${new URL(server.url).port}`)
      expect(await page.evaluate<boolean>('isSecureContext')).toBe(false)
      await copy().click()
      await page.getByText('Copied', { exact: true }).first().waitFor()
      await page.getByRole('button', { name: 'I have stored it' }).click()
      await page.getByRole('searchbox').focus()
      await page.keyboard.press('Control+V')
      expect(await page.getByRole('searchbox').inputValue()).toBe('sk-svc-once')
    })

    test('an amount that is rounded for a look is copied exactly: UX-02', async () => {
      await open('')
      await page.getByText('$41.20').first().waitFor()
      const spans = `[...document.querySelectorAll('span')]`
      const shown = `${spans}.find((each) => each.textContent === '≈$41.20')`
      await page.evaluate(`getSelection().selectAllChildren(${shown})`)
      await page.keyboard.press('Control+C')
      await page.getByRole('searchbox').focus()
      await page.keyboard.press('Control+V')
      expect(await page.getByRole('searchbox').inputValue()).toBe('$41.1975313')
    })

    test('a card is copied with each amount once, as it is seen: UX-02', async () => {
      await open('')
      await page.getByText('$41.20').first().waitFor()
      await page.evaluate(`getSelection().selectAllChildren(document.querySelector('main dl'))`)
      await page.keyboard.press('Control+C')
      await page.getByRole('searchbox').focus()
      await page.keyboard.press('Control+V')
      const copied = await page.getByRole('searchbox').inputValue()
      expect(copied).toContain('≈$41.20')
      expect(copied).not.toContain('41.1975313')
    })

    test('that fails says so: a key that is shown once must not be lost', async () => {
      await page.addInitScript(`
        Document.prototype.execCommand = () => false
        Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })
      `)
      await newKey(server.url)
      await copy().click()
      await page.getByText('Not copied: select the text and copy it by hand.').waitFor()
    })
  })
})
