/** What a request holds: its prompt, and the most tokens that its answer may have. */
import { worstCase } from '@svc/contracts/price'
import { type GatewayFixture, startGateway } from '@svc/testing/gateway/gateway-fixture'
import { testRates } from '@svc/testing/gateway/watched-ledger'
import { chatFormat } from '@svc/testing/wire-formats/chat-format'
import { responsesFormat } from '@svc/testing/wire-formats/responses-format'
import { afterEach, describe, expect, test } from 'vitest'
import { bodyOf, postTo } from '../../../testing/format-requests.ts'

const DEFAULT = 50
const LARGE_CONTEXT = 1_000
const SMALL_CONTEXT = 30

let fixture: GatewayFixture
afterEach(() => fixture[Symbol.asyncDispose]())

describe.each([
  ['chat', chatFormat, 'max_tokens'],
  ['chat, its newer name', chatFormat, 'max_completion_tokens'],
  ['responses', responsesFormat, 'max_output_tokens'],
] as const)('%s', (_name, format, field) => {
  /** @returns how many tokens of prompt and of answer the request was held for and run with */
  async function heldFor(limit: number | null | undefined, contextSize: number) {
    fixture = await startGateway({
      worker: { contextSize },
      limits: { defaultMaxOutputTokens: DEFAULT },
      script: { tokens: 1 },
    })
    const { max_tokens, max_output_tokens, ...body } = bodyOf(format) as Record<string, unknown>
    const response = await postTo(fixture, format.paths[0], { ...body, [field]: limit })
    expect(response.status, await response.clone().text()).toBe(200)
    const { input: prompt } = format.readAnswer(await response.json())
    const output = fixture.worker.runs[0]?.request.maxOutputTokens ?? 0
    expect(fixture.ledger.only().hold).toBe(worstCase(testRates, prompt, output))
    return { prompt, output }
  }

  test.each([undefined, null])(
    'pitfall 3: no limit, %s, is the default of the server',
    async (none) => {
      expect((await heldFor(none, LARGE_CONTEXT)).output).toBe(DEFAULT)
    },
  )

  test('pitfall 3: no limit in a small context is what the prompt leaves of it', async () => {
    const { prompt, output } = await heldFor(undefined, SMALL_CONTEXT)
    expect(prompt).toBeGreaterThan(0)
    expect(output).toBe(SMALL_CONTEXT - prompt)
  })

  test.each([1, DEFAULT + 1])('pitfall 3: a limit of %i is what is held for', async (limit) => {
    expect((await heldFor(limit, LARGE_CONTEXT)).output).toBe(limit)
  })
})
