/** What of a page somebody cannot read, reach or work: UX-60. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'

const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** @returns each breach with its place; none is right */
export async function violations(page: Page): Promise<readonly string[]> {
  // Both themes of a page are looked at without another load.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  const options = JSON.stringify({ runOnly: AXE_TAGS, resultTypes: ['violations'] })
  const found = await page.evaluate<axe.AxeResults>(`axe.run(${options})`)
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
  )
}
