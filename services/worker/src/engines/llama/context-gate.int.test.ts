/**
 * What needs the whole context of the model (cutting a sequence back, copying blocks, putting them
 * in) comes between two tokens of the others, and not when the others have ended.
 */

import { COLD, type OpenStream, outcome, user } from '@svc/testing/protocol-client'
import { expect, it } from 'vitest'
import { demoWorker } from '../../../testing/demo-worker.ts'

const SEQUENCES = 4
const worker = demoWorker('--sequences', String(SEQUENCES))
const BEGINNING_TOKENS_MAX = 32
const story = [user('Write a short story about a fox named Mira')]
/** Its first word differs from prompt to prompt. */
const long = (name: string) => [user(`${name} ${'hello '.repeat(90)}`)]

/** An answer that goes on for long: every token is as likely as any other. */
async function endless(tenant: string): Promise<OpenStream> {
  const sampling = { ...COLD, temperature: 2 }
  const logitBias = await endOfAnswer()
  const asked = { tenant, sampling, logitBias, maxOutputTokens: 3_000 }
  const stream = await worker().open(await worker().request(story, asked))
  await stream.events.next()
  return stream
}

/** Makes the tokens that end an answer unlikely. */
async function endOfAnswer(): Promise<[number, number][]> {
  const { tokens } = await worker().prepare([user('a')])
  const special = tokens.filter((token) => token > 2_040)
  return [...new Set(special)].map((token) => [token, -100])
}

it('while others are answered, a prompt is taken, kept, and taken up again', async () => {
  // Every sequence holds something: the next prompt on it has to cut it back first.
  for (let index = 0; index < SEQUENCES; index += 1) {
    await worker().generate(long(`used ${index}`), { maxOutputTokens: 1 })
  }
  const streams = [await endless('a'), await endless('b')]
  const prompts = [long('one'), long('two'), long('one'), long('three'), long('one')]
  const meters = []
  for (const prompt of prompts) {
    const { meter } = await worker().generate(prompt, { maxOutputTokens: 1 })
    meters.push(meter)
  }
  // The others have not ended yet: nothing has waited for them.
  expect(await worker().state()).toMatchObject({ running: expect.toSatisfy((n) => n >= 2) })
  for (const { requestId } of streams) {
    expect((await worker().cancel(requestId)).found).toBe(true)
  }
  for (const { events } of streams) {
    expect((await outcome(events)).last).toMatchObject({ finishReason: 'cancelled' })
  }
  // Prompts have at least the beginning of the template in common.
  expect(meters.map((meter) => (meter?.cachedInputTokens ?? 0) > BEGINNING_TOKENS_MAX)).toEqual([
    ...[false, false, true, false, true],
  ])
})
