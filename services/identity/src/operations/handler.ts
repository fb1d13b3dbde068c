/** The ports of the dashboard's operations, besides their input. */
import type { DashboardDeclaration } from '@svc/contracts/dashboard/declaration'
import type {
  DashboardOperationName,
  DashboardOutput,
  dashboardOperations,
} from '@svc/contracts/dashboard/operations'
import type { z } from 'zod'
import type { Browser, OpenSession } from '../sessions/sessions.ts'

export interface Visitor {
  readonly browser: Browser
  /** Is undefined for somebody who is not signed in, where that is allowed. */
  readonly open: OpenSession | undefined
  /** The URL of the service, without `/v1`, for links. */
  readonly rootUrl: string
  /** Whom the proxy in front of the server names, where one is trusted with that. */
  readonly proxyEmail: string | undefined
  /** The mark that this browser was given by {@link Visitor.begin}. */
  readonly begun: string | undefined
  /** Gives the browser another session, or takes its away. */
  carry(token: string | null): void
  /** Marks the browser that began a sign-in elsewhere, or takes the mark away. */
  begin(mark: string | null): void
}

type Declared = typeof dashboardOperations

export type Handlers<Name extends DashboardOperationName> = {
  readonly [N in Name]: (
    input: z.output<Declared[N]['input']>,
    visitor: Visitor,
  ) => Promise<DashboardOutput<N>>
}

/**
 * The part of the declarations that routes need. Each parses its input for the handler of the same
 * name.
 */
export type Declarations<Name extends DashboardOperationName> = {
  readonly [N in Name]: Omit<DashboardDeclaration, 'input'> & {
    readonly input: z.ZodType<z.output<Declared[N]['input']>>
  }
}

/** The session of a visitor on an operation for those who are signed in. */
export function openOf({ open }: Visitor): OpenSession {
  if (open === undefined) throw new Error('the operation is not behind a session')
  return open
}
