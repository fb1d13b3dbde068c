/** Pictures of the pages for people to look at: kept in the folder `SVC_SCREENSHOTS`, if any. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

export async function keptScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SVC_SCREENSHOTS
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
