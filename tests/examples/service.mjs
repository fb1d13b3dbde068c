/**
 * What the checks of all JavaScript clients use: what to ask the demo model, and what the service
 * itself says about a request. The base URL is that of the counting proxy.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

export const rootUrl = process.env.SVC_URL
export const apiKey = process.env.SVC_KEY
/** Of an account without credit. */
export const emptyApiKey = process.env.SVC_EMPTY_API_KEY
export const wrongApiKey = 'sk-svc-nobody-has-this-key'
export const model = 'svc-beta'

export const question = 'What is the capital city of Norway?'
export const answer = /Oslo/
export const weatherQuestion = 'What is the weather in Paris?'
export const weatherResult = JSON.stringify({ temperature: 19, condition: 'cloudy' })
export const weatherAnswer = /19/
export const personText =
  'Extract the name and age as JSON: Beatrix is 29 years old and likes kayaks.'
export const person = { name: 'Beatrix', age: 29 }
export const personSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
}
/** Makes an answer that takes seconds, so that there is time to break it off. */
export const longQuestion = 'Count from 1 to 100'
export const longSchema = {
  type: 'object',
  properties: {
    numbers: { type: 'array', items: { type: 'integer' }, minItems: 600 },
  },
  required: ['numbers'],
  additionalProperties: false,
}
export const LONG_TOKENS_MAX = 3000
const ENDED_TRIES_MAX = 100
const ENDED_PAUSE_MS = 100

/** The attempts since the last call, oldest first. */
export async function takeAttempts() {
  const response = await fetch(`${rootUrl}/attempts`)
  return response.json()
}

/** Forgets what was sent before, runs `work`, and returns the attempts that it made. */
export async function attemptsOf(work) {
  await takeAttempts()
  await work()
  return takeAttempts()
}

export async function receiptOf(requestId) {
  const response = await fetch(`${rootUrl}/v1/requests/${requestId}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  assert.equal(response.status, 200)
  return response.json()
}

/** @returns the receipt of the only attempt that `work` made */
export async function receiptOfOne(work) {
  const attempts = await attemptsOf(work)
  assert.equal(attempts.length, 1)
  return receiptOf(attempts[0].requestId)
}

/** Waits until the run has ended. @returns its receipt */
export async function endedReceipt(requestId) {
  for (let tries = 0; tries < ENDED_TRIES_MAX; tries += 1) {
    const receipt = await receiptOf(requestId)
    if (receipt.status !== 'running') return receipt
    await pause(ENDED_PAUSE_MS)
  }
  throw new Error(`${requestId} still runs`)
}

/** The usage that the client shows is the usage that was billed. */
export function assertBilled(receipt, { input, output, cached }) {
  assert.equal(receipt.status, 'finished')
  const billed = receipt.usage
  assert.equal(input, billed.input_tokens + billed.cached_input_tokens)
  assert.equal(output, billed.output_tokens)
  if (cached !== undefined) assert.equal(cached, billed.cached_input_tokens)
}

/** A run that was broken off is stopped, and charged for what was computed until then. */
export async function assertStopped(attempts) {
  assert.equal(attempts.length, 1)
  const receipt = await endedReceipt(attempts[0].requestId)
  assert.equal(receipt.status, 'stopped')
  assert.ok(receipt.usage.output_tokens < LONG_TOKENS_MAX)
}

/** `work` fails with `expected`, and is tried exactly once. */
export async function assertRefusedOnce(work, status, expected) {
  const attempts = await attemptsOf(() => assert.rejects(work, expected))
  assert.deepEqual(
    attempts.map((attempt) => attempt.status),
    [status],
  )
}
