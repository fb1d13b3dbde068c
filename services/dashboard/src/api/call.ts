/** Calls an operation of the dashboard's API as the contracts declare it. */
import {
  DASHBOARD_HEADER,
  DASHBOARD_PREFIX,
  SHOWN_USER_HEADER,
} from '@svc/contracts/dashboard/declaration'
import {
  type DashboardInput,
  type DashboardOperationName,
  type DashboardOutput,
  dashboardOperations,
} from '@svc/contracts/dashboard/operations'
import { ApiError, refusalOf } from './api-error.ts'

/** The paths of operations that find out who is signed in, or change it. */
const OF_THE_SESSION = /^\/session(\/|$)/

type Fields = Readonly<Record<string, unknown>>

let shownUser = (): string | undefined => undefined

/** @param user the id of whom the page shows as signed in: nobody else is asked as */
export function askAs(user: () => string | undefined): void {
  shownUser = user
}

/** @throws {ApiError} also when the server cannot be reached */
export async function call<Name extends DashboardOperationName>(
  name: Name,
  input: DashboardInput<Name>,
  signal?: AbortSignal,
): Promise<DashboardOutput<Name>> {
  const { method, path } = dashboardOperations[name]
  const response = await send(DASHBOARD_PREFIX, { method, path }, input as Fields, signal)
  return (await response.json()) as DashboardOutput<Name>
}

/** Makes the address of a GET for a link, such as the link of a file. */
export function addressOf<Name extends DashboardOperationName>(
  name: Name,
  input: DashboardInput<Name>,
): string {
  const { filled, rest } = fill(dashboardOperations[name].path, input as Fields)
  return `${DASHBOARD_PREFIX}${filled}${queryOf(rest)}`
}

export interface Target {
  readonly method: 'GET' | 'POST'
  /** The path, with `:names` that are taken out of the input. */
  readonly path: string
  /** Headers beside those that every request has. */
  readonly headers?: Readonly<Record<string, string>>
}

/** @returns an answer that says that it went well */
export async function send(
  prefix: string,
  { method, path, headers = {} }: Target,
  input: Fields,
  signal?: AbortSignal,
): Promise<Response> {
  const { filled, rest } = fill(path, input)
  const isGet = method === 'GET'
  const query = isGet ? queryOf(rest) : ''
  const user = OF_THE_SESSION.test(path) ? undefined : shownUser()
  const sent = user === undefined ? headers : { ...headers, [SHOWN_USER_HEADER]: user }
  const response = await fetched(`${prefix}${filled}${query}`, {
    method,
    headers: isGet
      ? sent
      : { ...sent, 'content-type': 'application/json', [DASHBOARD_HEADER]: '1' },
    ...(isGet ? {} : { body: JSON.stringify(rest) }),
    ...(signal === undefined ? {} : { signal }),
  })
  if (!response.ok) throw await refusalOf(response)
  return response
}

async function fetched(address: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(address, request)
  } catch (cause) {
    if (request.signal?.aborted) throw cause
    throw new ApiError({ status: 0, code: 'unreachable', message: '' })
  }
}

function fill(path: string, input: Fields): { readonly filled: string; readonly rest: Fields } {
  const rest = { ...input }
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(String(value))
  })
  return { filled, rest }
}

function queryOf(fields: Fields): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return given.length === 0 ? '' : `?${query}`
}
