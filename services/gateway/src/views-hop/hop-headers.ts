/**
 * What a gateway without views tells a server that has them, beside the secret that both know: for
 * whom it asks, and what the views must hold of that caller's account.
 */
import type { Position } from '@svc/contracts/ports/event-store'
import type { Caller } from '@svc/ledger/ledger'

const CALLER_HEADER = 'svc-caller'
const AFTER_HEADER = 'svc-after'
/** Stands for a caller who sent no key. */
const ANYBODY = 'anybody'
const CALLER = /^(acct_\w+)\/(key_\w+)$/
const POSITION = /^\d{1,20}$/

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

export function hopHeaders(caller: Caller | null, after: Position | undefined) {
  return {
    [CALLER_HEADER]: caller === null ? ANYBODY : `${caller.accountId}/${caller.keyId}`,
    ...(after === undefined ? {} : { [AFTER_HEADER]: `${after}` }),
  }
}

/** @returns null for a caller without a key; undefined when the headers name no caller */
export function forwardedCaller(headers: Headers): Caller | null | undefined {
  const text = headers[CALLER_HEADER]
  if (text === ANYBODY) return null
  const [, accountId, keyId] = typeof text === 'string' ? (CALLER.exec(text) ?? []) : []
  return accountId === undefined || keyId === undefined ? undefined : { accountId, keyId }
}

/** @returns the position that the views must hold; undefined when the headers name none */
export function awaitedPosition(headers: Headers): Position | undefined {
  const text = headers[AFTER_HEADER]
  return typeof text === 'string' && POSITION.test(text) ? BigInt(text) : undefined
}
