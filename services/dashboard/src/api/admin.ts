/** The operator's operations, as `contracts/admin` declares them, under the session of a user. */

import {
  adminOperations,
  type OperationInput,
  type OperationName,
  type OperationOutput,
} from '@svc/contracts/admin/operations'
import { isAllowed } from '@svc/contracts/admin/roles'
import { DASHBOARD_ADMIN_PREFIX } from '@svc/contracts/dashboard/declaration'
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { ApiError } from './api-error.ts'
import { send } from './call.ts'
import { useMadeOnce } from './once-key.ts'
import { useSession } from './session.ts'

type Declarations = typeof adminOperations
export type JsonOperation = {
  [Name in OperationName]: Declarations[Name]['answer'] extends 'json' ? Name : never
}[OperationName]

/** @throws {ApiError} also when the server cannot be reached */
export async function callAdmin<Name extends JsonOperation>(
  name: Name,
  input: OperationInput<Name>,
  signal?: AbortSignal,
): Promise<OperationOutput<Name>> {
  const response = await sendAdmin(name, input, signal)
  return (await response.json()) as OperationOutput<Name>
}

/** @returns an answer that says that it went well, its body not read yet */
export function sendAdmin<Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
  signal?: AbortSignal,
): Promise<Response> {
  const { idempotency_key: key, ...fields } = input as Record<string, unknown>
  const headers = typeof key === 'string' ? { 'idempotency-key': key } : {}
  return send(DASHBOARD_ADMIN_PREFIX, { ...adminOperations[name], headers }, fields, signal)
}

/** A question of the operator's; while it is asked with other values, the rows of before stay. */
export function askAdmin<Name extends JsonOperation>(name: Name, input: OperationInput<Name>) {
  return queryOptions<OperationOutput<Name>, ApiError>({
    queryKey: ['admin', name, input],
    queryFn: ({ signal }) => callAdmin(name, input, signal),
    placeholderData: keepPreviousData as never,
  })
}

/** A change by the operator: what has been read before is read anew behind it. */
export function useAdminChange<Name extends JsonOperation>(name: Name) {
  const client = useQueryClient()
  return useMutation<OperationOutput<Name>, ApiError, OperationInput<Name>>({
    mutationFn: (input) => callAdmin(name, input),
    onSuccess: () => client.invalidateQueries(),
  })
}

/** As {@link useAdminChange}, but after a lost answer the same is not made a second time. */
export function useAdminMaking<Name extends 'createAdminToken' | 'openAccount'>(name: Name) {
  return useMadeOnce(name, (input: Omit<OperationInput<Name>, 'idempotency_key'>, key) =>
    callAdmin(name, { ...input, idempotency_key: key } as OperationInput<Name>),
  )
}

/** Whether whoever is signed in may ask for an operation: what they may not is not shown. */
export function useMay(): (name: OperationName) => boolean {
  const { platform_role: role } = useSession()
  return (name) => role !== null && isAllowed(role, adminOperations[name].role)
}
