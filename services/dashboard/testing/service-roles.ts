/** Who is signed in where somebody runs the service. */
import { fullAdminAnswers } from './sample-admin-answers.ts'
import { fullAnswers, session } from './sample-answers.ts'

/** The answers that make whoever is signed in an owner of the service. */
export const owner = { session: () => ({ ...session, platform_role: 'owner' as const }) }
/** The same for an auditor, who looks at everything and changes nothing. */
export const auditor = { session: () => ({ ...session, platform_role: 'auditor' as const }) }

/** With which most tests of the operator's pages begin. */
export const ownerPages = {
  answers: { ...fullAnswers, ...owner },
  adminAnswers: fullAdminAnswers,
}
