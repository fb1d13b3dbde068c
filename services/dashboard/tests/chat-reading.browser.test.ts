/** A conversation as somebody reads it, by eye and by ear, and what of it the model is told. */

import { missingChromium } from '@svc/testing/chromium'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { type PageServer, Refused } from '../testing/page-server.ts'
import { ACCOUNT, fullAnswers } from '../testing/sample-answers.ts'
import { withPages } from '../testing/with-pages.ts'

/** A window of 1280 by 1024 pixels at a zoom of 400 %. */
const SMALL_PX = { width: 320, height: 256 }

const chunk = (delta: object, reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
const answerOf = (content: string) => `${chunk({ content }) + chunk({}, 'stop')}data: [DONE]\n\n`

describe.skipIf(missingChromium() !== undefined)('a conversation', () => {
  let server: PageServer
  let page: Page
  withPages({ answers: fullAnswers, context: { viewport: SMALL_PX } }, (opened) => {
    server = opened.server
    page = opened.page
  })

  const open = () => page.goto(`${server.url}/dashboard/accounts/${ACCOUNT}/chat`)
  const ask = async (question: string) => {
    await page.getByLabel('Your question').fill(question)
    await page.getByLabel('Your question').press('Enter')
  }
  const isAboveField = async (text: string) => {
    const words = await page.getByText(text, { exact: true }).boundingBox()
    const field = await page.getByLabel('Your question').boundingBox()
    if (words === null || field === null) return false
    return words.y >= 0 && words.y + words.height <= field.y
  }

  test('shows the end of an answer above the field, without that anybody scrolls', async () => {
    await open()
    const long = Array.from({ length: 30 }, (_, line) => `Line ${line}.`).join('\n\n')
    for (const last of ['The first end.', 'The second end.']) {
      server.chat = () => answerOf(`${long}\n\n${last}`)
      await ask('Why?')
      await expect.poll(() => isAboveField(last)).toBe(true)
    }
  })

  test('is told of to those who do not see it', async () => {
    await open()
    server.chat = () => answerOf('Because.')
    await ask('Why?')
    await page.getByRole('status').getByText('The answer is there.').waitFor()
  })

  test('tells the model no question twice that was refused before', async () => {
    const told: unknown[] = []
    page.on('request', (request) => {
      if (request.method() !== 'POST') return
      const { messages } = request.postDataJSON() as { readonly messages?: unknown }
      if (messages !== undefined) told.push(messages)
    })
    await open()
    server.chat = () => new Refused(402, 'insufficient_quota', 'Available $0.01.')
    await ask('Why?')
    await page.getByText('Available $0.01.').waitFor()
    server.chat = () => answerOf('Because.')
    await page.getByLabel('Your question').press('Enter')
    await page.getByText('Because.').waitFor()
    expect(told).toHaveLength(2)
    expect(told[1]).toEqual([{ role: 'user', content: 'Why?' }])
  })
})
