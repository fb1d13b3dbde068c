import { session } from './sample-answers.ts'

/** The answers that make whoever is signed in an owner of the service. */
export const owner = { session: () => ({ ...session, platform_role: 'owner' as const }) }
