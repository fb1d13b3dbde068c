/** What operators do about workers. */
import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { AdminAnswers, PageServer } from '../testing/page-server.ts'
import { fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { ownerPages } from '../testing/service-roles.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()

describe.skipIf(missing !== undefined)('an operator', () => {
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
  const open = (path: string) => page.goto(`${server.url}/dashboard/operator${path}`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  test('adds a worker, and removes one after a question', async () => {
    answer({
      addWorker: (input) => {
        asked.push(input)
        return { worker_id: 'w9', created: true } as never
      },
      removeWorker: (input) => {
        asked.push(input)
        return { worker_id: input.worker_id } as never
      },
    })
    await open('/system')
    await button('Add worker').click()
    await page.getByLabel('Address').fill('http://10.0.0.7:9001')
    await page.getByRole('dialog').getByRole('button', { name: 'Add worker' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await button('Remove').first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(asked).toMatchObject([
      { worker_id: null, url: 'http://10.0.0.7:9001' },
      { worker_id: expect.any(String) },
    ])
  })

  test('offers to drain a worker that the server has started, and not to remove it', async () => {
    const workers = fullAdminAnswers.listWorkers()
    answer({ listWorkers: () => workers.map((worker) => ({ ...worker, supervised: true })) })
    await open('/system')
    await button('Drain').first().waitFor()
    expect(await button('Remove').count()).toBe(0)
  })
})
