/** What a file of browser tests shares: one server with its answers, and one browser. */

import { openChromium } from '@svc/testing/chromium'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type AdminAnswers, type Answers, type PageServer, startPageServer } from './page-server.ts'

export interface OpenedPages {
  readonly server: PageServer
  readonly context: BrowserContext
  readonly page: Page
}

export interface PagesOptions {
  /** With which each test begins. */
  readonly answers: Answers
  readonly adminAnswers?: AdminAnswers
  /** For the browser, beside those that it always gets. */
  readonly args?: readonly string[]
  readonly context?: BrowserContextOptions
  /** One page for all tests, which each load their own address: default one for each. */
  readonly isPageShared?: boolean
}

/** Sets up and ends what the tests of a block need, and hands it out before each of them. */
export function withPages(options: PagesOptions, use: (opened: OpenedPages) => void): void {
  const { answers, adminAnswers = {}, args, isPageShared = false } = options
  let server: PageServer
  let browser: Browser
  let shared: OpenedPages | undefined

  const opened = async () => {
    const context = await browser.newContext(options.context)
    return { server, context, page: await context.newPage() }
  }

  beforeAll(async () => {
    server = await startPageServer(answers, adminAnswers)
    browser = await openChromium(args)
    if (isPageShared) shared = await opened()
  })

  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  beforeEach(async () => {
    server.answers = answers
    server.adminAnswers = adminAnswers
    server.checkHeaders = () => undefined
    const own = shared ?? (await opened())
    use(own)
    return async () => {
      if (!isPageShared) await own.context.close()
    }
  })
}
