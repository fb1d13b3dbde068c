import type { DashboardOutput } from '@svc/contracts/dashboard/operations'
import { useSuspenseQuery } from '@tanstack/react-query'
import { sessionQuery } from './queries.ts'

export type Session = DashboardOutput<'session'>

/**
 * Tells who is signed in and where. The root of the pages has loaded it before it shows anything.
 */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}
