/** What the operations of the dashboard are carried out with, besides their input. */
import type {
  DashboardOperationName,
  DashboardOutput,
  dashboardOperations,
} from '@svc/contracts/dashboard/operations'
import type { z } from 'zod'
import type { Browser, OpenSession } from '../sessions/sessions.ts'

export interface Visitor {
  readonly browser: Browser
  /** Undefined of somebody who is not signed in, where that is allowed. */
  readonly open: OpenSession | undefined
  /** Of the service, without `/v1`, for links. */
  readonly rootUrl: string
  /** Gives the browser another session, or takes its away. */
  carry(token: string | null): void
}

export type Handlers<Name extends DashboardOperationName> = {
  readonly [N in Name]: (
    input: z.output<(typeof dashboardOperations)[N]['input']>,
    visitor: Visitor,
  ) => Promise<DashboardOutput<N>>
}

/** The session of a visitor on an operation for those who are signed in. */
export function openOf({ open }: Visitor): OpenSession {
  if (open === undefined) throw new Error('the operation is not behind a session')
  return open
}
