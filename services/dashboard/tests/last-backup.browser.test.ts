/** When the data folder was last backed up, and another backup. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { violations } from '../testing/accessibility.ts'
import { type PageServer, Refused } from '../testing/page-server.ts'
import { emptyAdminAnswers, fullAdminAnswers } from '../testing/sample-admin-answers.ts'
import { fullAnswers, session } from '../testing/sample-answers.ts'
import { withPages } from '../testing/with-pages.ts'

const as = (role: 'owner' | 'auditor') => ({
  ...fullAnswers,
  session: () => ({ ...session, platform_role: role }),
})
const options = { answers: as('owner'), adminAnswers: emptyAdminAnswers }
const FOLDER = '/srv/svc/backups/2026-11-20T11-00-00.000Z'

describe.skipIf(missingChromium() !== undefined)('the last backup', () => {
  let server: PageServer
  let page: Page
  withPages(options, (opened) => {
    server = opened.server
    page = opened.page
  })

  const open = () => page.goto(`${server.url}/dashboard/operator/system`)
  const backUp = () => page.getByRole('button', { name: 'Back up now', exact: true })

  test('is missed, made, and then told', async () => {
    let made = false
    server.adminAnswers = {
      ...emptyAdminAnswers,
      lastBackup: () => ({
        backup: made ? { folder: FOLDER, written_at: '2026-11-20T11:00:00.000Z' } : null,
      }),
      backUp: () => {
        made = true
        const result = { type: 'result', folder: FOLDER, size_bytes: 9, position: '1' } as const
        return [{ type: 'progress', done: 1, total: 9 } as const, { ...result, seconds: 0.1 }]
      },
    }
    await open()
    await page.getByText('No backup was written yet').waitFor()
    expect(await violations(page)).toEqual([])
    await backUp().click()
    await page.getByText(FOLDER).waitFor()
    expect(await page.getByText('No backup was written yet').count()).toBe(0)
  })

  test('is told to an auditor too, who cannot make another', async () => {
    server.answers = as('auditor')
    server.adminAnswers = fullAdminAnswers
    await open()
    await page.getByText('Last backup:').waitFor()
    expect(await backUp().count()).toBe(0)
  })

  test('that cannot be looked for says why; an older server says nothing', async () => {
    const refuse = (refused: Refused) => {
      server.adminAnswers = { ...fullAdminAnswers, lastBackup: () => refused }
    }
    refuse(new Refused(500, 'backup_failed', 'The note last-backup.json is damaged.'))
    await open()
    await page.getByText('The note last-backup.json is damaged.').waitFor()
    refuse(new Refused(404, 'not_found', 'There is no such route.'))
    await open()
    await backUp().waitFor()
    expect(await page.getByText('There is no such route.').count()).toBe(0)
  })
})
