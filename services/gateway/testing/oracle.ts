/**
 * What holds after every bad input: an error of the right shape, no charge, a server that is well.
 */

import { chatBody, type GatewayFixture } from '@svc/testing/gateway/gateway-fixture'
import { expect } from 'vitest'
import type { ClientFamily } from '../src/http/client-family.ts'

export interface ExpectedError {
  readonly status: number
  readonly code: string
  /** Not looked at when absent. */
  readonly param?: string | null
  /** In whose words; those of the OpenAI formats when absent. */
  readonly family?: ClientFamily
}

/** @returns the error's message */
export function expectErrorBody(body: string, expected: ExpectedError): string {
  const message =
    expected.family === 'anthropic'
      ? expectAnthropicError(body, expected)
      : expectOpenAiError(body, expected)
  expect(message).not.toMatch(/node_modules|\.ts:|at Object|FST_ERR|zod/i)
  return message
}

export async function expectRefused(
  fixture: GatewayFixture,
  response: Response,
  expected: ExpectedError,
): Promise<void> {
  const body = await response.text()
  expect(response.status, body).toBe(expected.status)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
  expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'))
  expectErrorBody(body, expected)
  await expectUntouched(fixture)
}

/** Nothing was accepted and nothing is held; the next request is served. */
export async function expectUntouched(fixture: GatewayFixture): Promise<void> {
  expect([...fixture.ledger.entries]).toEqual([])
  expect(fixture.log.join('')).toBe('')
  const next = await fixture.post(chatBody())
  expect(next.status, await next.text()).toBe(200)
  fixture.ledger.entries.clear()
}

function expectOpenAiError(body: string, { status, code, param }: ExpectedError): string {
  const { error, ...rest } = JSON.parse(body)
  expect(rest).toEqual({})
  const { funds, ...fields } = error
  expect(Object.keys(fields).sort()).toEqual(['code', 'message', 'param', 'type'])
  expect(funds === undefined).toBe(status !== 402)
  expect(error.code).toBe(code)
  if (param !== undefined) expect(error.param).toBe(param)
  return error.message
}

/** The family has no place for the field at fault but the message. */
function expectAnthropicError(body: string, { code, param }: ExpectedError): string {
  const { error, ...rest } = JSON.parse(body)
  expect(rest).toEqual({ type: 'error', request_id: expect.stringMatching(/^req_/) })
  expect(error).toMatchObject({ type: expect.any(String), details: { error_code: code } })
  if (param) expect(error.message).toContain(param)
  return error.message
}
