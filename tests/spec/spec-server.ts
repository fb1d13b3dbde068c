/** One real server for all tests of a file, and customers of it with accounts of their own. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Operations } from '@svc/contracts/admin/operations'
import { parseDollars } from '@svc/contracts/money'
import { balanceAnswer, type Receipt, receipt } from '@svc/contracts/wire/billing'
import { createRemoteOperations } from '@svc/operator/remote/remote-operations'
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { secretOf } from '@svc/testing/made-key'
import { ServerProcess } from '@svc/testing/server-process'

const FILE_MS_MAX = 170_000

/** Somebody with an account and a key. */
export interface Customer {
  readonly accountId: string
  readonly keyId: string
  readonly secret: string
  /** Sends a body as JSON, with the key as a bearer unless the headers bring another. */
  post(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<Response>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>
  /** The settled balance in pico-dollars. */
  balance(): Promise<bigint>
  /** The receipt of the request that was answered so. */
  receiptOf(answer: Response): Promise<Receipt>
}

export interface SpecServer {
  readonly baseUrl: string
  readonly operations: Operations
  /** Opens an account. @param dollars its balance, or null for an account that was given nothing */
  customer(dollars?: string | null): Promise<Customer>
  stop(): Promise<void>
}

export async function startSpecServer(): Promise<SpecServer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-spec-'))
  const dataDir = join(folder, 'data')
  const server = new ServerProcess(dataDir)
  const stop = async () => {
    server.kill('SIGKILL')
    await server.exited
    rmSync(folder, { recursive: true, force: true })
  }
  const { baseUrl } = await server.ready().catch(async (cause) => {
    await stop()
    throw cause
  })
  const { operatorToken } = new DataFolder(dataDir).readSecrets() ?? { operatorToken: '' }
  const signal = AbortSignal.timeout(FILE_MS_MAX)
  const operations = createRemoteOperations({ baseUrl, operatorToken, signal })
  const customer = (dollars: string | null = '1.00') => openCustomer(baseUrl, operations, dollars)
  return { baseUrl, operations, customer, stop }
}

async function openCustomer(
  baseUrl: string,
  operations: Operations,
  dollars: string | null,
): Promise<Customer> {
  const { account_id: accountId } = await operations.openAccount({
    name: 'spec',
    spend_policy: 'strict',
  })
  if (dollars !== null) {
    await operations.grant({
      account_id: accountId,
      amount: dollars,
      category: 'paid',
      priority: 0,
      expires_at: null,
      reference: null,
      reason: 'test',
    })
  }
  const key = await operations.createKey({
    account_id: accountId,
    name: 'laptop',
    expires_at: null,
  })
  const secret = secretOf(key)
  return { accountId, keyId: key.key_id, secret, ...callsOf(baseUrl, secret) }
}

function callsOf(baseUrl: string, secret: string) {
  const bearer = { authorization: `Bearer ${secret}` }
  const get: Customer['get'] = (path, headers = bearer) => fetch(baseUrl + path, { headers })
  const post: Customer['post'] = (path, body, headers = bearer) =>
    fetch(baseUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const balance = async () => {
    const { settled } = balanceAnswer.parse(await (await get('/v1/balance')).json())
    return parseDollars(settled)
  }
  const receiptOf = async (answer: Response) => {
    const id = answer.headers.get('x-request-id')
    return receipt.parse(await (await get(`/v1/requests/${id}`)).json())
  }
  return { get, post, balance, receiptOf }
}
