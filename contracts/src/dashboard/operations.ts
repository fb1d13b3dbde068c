/** Every operation of the dashboard, by name; those of the operator are in `admin/`. */
import type { z } from 'zod'
import { dashboardAccountOperations } from './account.ts'
import type { DashboardDeclaration } from './declaration.ts'
import { memberOperations } from './members.ts'
import { sessionOperations } from './session.ts'
import { signInWayOperations } from './sign-in-ways.ts'

export { dashboardAccountOperations } from './account.ts'
export { memberOperations } from './members.ts'
export { sessionOperations } from './session.ts'
export { PROVIDER_RETURN_PATH, signInWayOperations } from './sign-in-ways.ts'

export const dashboardOperations = {
  ...sessionOperations,
  ...signInWayOperations,
  ...memberOperations,
  ...dashboardAccountOperations,
} satisfies Record<string, DashboardDeclaration>

type Declarations = typeof dashboardOperations
export type DashboardOperationName = keyof Declarations

/** The input that the browser gives. */
export type DashboardInput<Name extends DashboardOperationName> = z.input<
  Declarations[Name]['input']
>
/** The answer that the browser gets. */
export type DashboardOutput<Name extends DashboardOperationName> = z.output<
  Declarations[Name]['output']
>
