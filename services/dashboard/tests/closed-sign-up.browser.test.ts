/** Where only the operator lets people in, owners of accounts are not offered to. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { PageServer } from '../testing/page-server.ts'
import { ACCOUNT, fullAnswers, session } from '../testing/sample-answers.ts'
import { withPages } from '../testing/with-pages.ts'

const missing = missingChromium()

describe.skipIf(missing !== undefined)('sign-up', () => {
  let server: PageServer
  let page: Page
  withPages({ answers: fullAnswers }, (opened) => {
    server = opened.server
    page = opened.page
  })

  test.each([
    ['closed', 0, 1],
    ['invitation', 1, 0],
    ['open', 1, 0],
  ] as const)('that is %s offers owners to invite as the server lets them', async (...given) => {
    const [policy, buttons, reasons] = given
    server.answers = { ...fullAnswers, session: () => ({ ...session, sign_up: policy }) }
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}/members`)
    await page.getByText('Open invitations').waitFor()
    expect(await page.getByRole('button', { name: 'Invite', exact: true }).count()).toBe(buttons)
    expect(await page.getByText('only who runs the service lets people in').count()).toBe(reasons)
  })
})
