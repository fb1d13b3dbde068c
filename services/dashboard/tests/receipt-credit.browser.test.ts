/** Which credit paid for a request: the id of a grant is read, and searched for, in one piece. */

import { missingChromium } from '@svc/testing/chromium'
import { describe, expect, test } from 'vitest'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

const GRANT = 'grant_01m8jegw8crmh553s0ywxcfd1q'
/** Two lines of the small letters of ids are higher. */
const LINE_PIXELS_MAX = 24
const { receipt } = fullAnswers
const answers = {
  ...fullAnswers,
  receipt: () => ({ ...receipt(), grants: [{ grant_id: GRANT, amount: '0.000527355' }] }),
}

describe.skipIf(missingChromium() !== undefined)('a receipt', () => {
  let opened: OpenedPages
  withPages({ answers }, (each) => {
    opened = each
  })

  test('has the id of the grant that paid in one line', async () => {
    const { page, server } = opened
    await page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}/requests?request=req_1`)
    const id = page.getByRole('dialog').getByText(GRANT, { exact: true })
    await id.waitFor()
    expect((await id.boundingBox())?.height).toBeLessThan(LINE_PIXELS_MAX)
  })
})
