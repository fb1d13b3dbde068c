/** Time of a page that runs ahead, for what it asks of the server every few seconds. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

const STEP_MS = 1_000

/**
 * Until something stands on the page: its timers run a second ahead, again and again.
 *
 * @param page on which `page.clock.install()` was called before it was opened
 */
export async function hurryUntil(page: Page, what: Locator): Promise<void> {
  const isSo = async () => {
    if ((await what.count()) > 0) return true
    await page.clock.runFor(STEP_MS)
    return false
  }
  await expect.poll(isSo).toBe(true)
}
