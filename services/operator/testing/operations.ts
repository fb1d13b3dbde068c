/** The operations on a folder with history: opened directly, and over the admin routes. */
import type { Operations } from '@svc/contracts/admin/operations'
import { openDataFolder } from '@svc/server/open-data-folder'
import type { AccountHistory } from '@svc/testing/account-history'
import { startAdminServer } from '@svc/testing/admin-server'
import { folderWithHistory } from '@svc/testing/data-folders'
import { onTestFinished } from 'vitest'
import { createRemoteOperations } from '../src/remote/remote-operations.ts'

export const OPERATOR_TOKEN = 'token of the operator'
export const never = new AbortController().signal

export interface OpenedOperations {
  readonly operations: Operations
  readonly account: AccountHistory
}

export async function localOperations(): Promise<OpenedOperations> {
  const { path, account } = await folderWithHistory()
  return { operations: await openOperations(path), account }
}

export async function remoteOperations(): Promise<OpenedOperations> {
  const { operations, account } = await localOperations()
  return { operations: remoteAt(await serveOperations(operations)), account }
}

export async function openOperations(path: string): Promise<Operations> {
  const opened = await openDataFolder(path)
  onTestFinished(() => opened.close())
  return opened.operations
}

/** @returns the base URL of a server with nothing but the admin routes */
export async function serveOperations(operations: Operations): Promise<string> {
  const server = await startAdminServer({ operations, operatorToken: OPERATOR_TOKEN })
  onTestFinished(server.close)
  return server.baseUrl
}

export function remoteAt(baseUrl: string): Operations {
  return createRemoteOperations({ baseUrl, operatorToken: OPERATOR_TOKEN, signal: never })
}

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const value of source) all.push(value)
  return all
}
