/** Figures that will still change are not taken for final. */

import { missingChromium } from '@svc/testing/chromium'
import { describe, expect, test } from 'vitest'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { type OpenedPages, withPages } from '../testing/with-pages.ts'

describe.skipIf(missingChromium() !== undefined)('a period', () => {
  let opened: OpenedPages
  withPages({ answers: fullAnswers }, (each) => {
    opened = each
  })

  test.each(['/requests', '/statement', '/usage'])(
    'on %s that is named and not over says so: UX-05',
    async (of) => {
      const { page, server } = opened
      const open = (period: string) =>
        page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}${of}${period}`)
      const line = page.getByText('This period is not over: its figures go on changing.')
      await open('?from=2026-11-01&to=2999-12-31&zone=UTC')
      await line.waitFor()
      for (const period of ['?from=2026-01-01&to=2026-11-18&zone=UTC', '']) {
        await open(period)
        await page.getByText('As of event 182,440,').waitFor()
        expect(await line.count()).toBe(0)
      }
    },
  )
})
