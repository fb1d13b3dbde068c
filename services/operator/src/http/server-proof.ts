/**
 * How a server shows that it is the one of a data folder, before it is sent the operator's token.
 *
 * The record of a server that was killed stays behind, and its port can be taken by anybody. Only
 * who has the token can answer a nonce, and the address in the answer keeps it from being passed on
 * from another server.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * The path below the operator's routes that a server is asked for its proof at. It is the only one
 * that is asked without the token.
 */
export const PROOF_PATH = '/identity'
export const noncePattern = /^[0-9a-f]{64}$/

/** Keeps it from being taken for anything else that the token may sign. */
const PURPOSE = 'svc server identity 1'

/** @param baseUrl of the server that proves itself */
export function serverProof(operatorToken: string, baseUrl: string, nonce: string): string {
  const text = [PURPOSE, baseUrl, nonce].join('\n')
  return createHmac('sha256', operatorToken).update(text).digest('hex')
}

export function isServerProof(
  proof: unknown,
  operatorToken: string,
  baseUrl: string,
  nonce: string,
): boolean {
  const expected = Buffer.from(serverProof(operatorToken, baseUrl, nonce))
  const given = Buffer.from(typeof proof === 'string' ? proof : '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
