/** Who somebody is: signing in and out, the links that let people in, their own sessions. */
import { z } from 'zod'
import { name, nothing } from '../admin/declaration/fields.ts'
import { accountRoles, platformRoles } from '../events/users.ts'
import { EMAIL_ADDRESS, EMAIL_CHARACTERS_MAX } from '../ports/people/user-records.ts'
import { dollars } from '../wire/dollars.ts'
import { dashboardOperation } from './declaration.ts'

export const PASSWORD_CHARACTERS_MIN = 10
export const PASSWORD_CHARACTERS_MAX = 256
const SECRET_CHARACTERS_MAX = 200
const ID_CHARACTERS_MAX = 100

const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(EMAIL_CHARACTERS_MAX, `must have at most ${EMAIL_CHARACTERS_MAX} characters`)
  .regex(EMAIL_ADDRESS, 'must be an e-mail address')
/** A new password as it was typed: spaces count. */
const newPassword = z
  .string()
  .min(PASSWORD_CHARACTERS_MIN, `must have at least ${PASSWORD_CHARACTERS_MIN} characters`)
  .max(PASSWORD_CHARACTERS_MAX, `must have at most ${PASSWORD_CHARACTERS_MAX} characters`)
export const givenPassword = z.string().max(PASSWORD_CHARACTERS_MAX)
export const linkSecret = z.string().min(1).max(SECRET_CHARACTERS_MAX)

const platformRole = z.enum(platformRoles)
export const accountRole = z.enum(accountRoles)

const signUpPolicy = z.enum(['closed', 'invitation', 'open'])

/** The texts that the operator has set; null where nothing is set. */
const branding = z.object({
  name: z.string(),
  /** The path of an image on this origin, or `data:`. */
  logo: z.string().nullable(),
  /** `#rrggbb`. */
  color: z.string().nullable(),
  /** An e-mail address or a URL. */
  support: z.string().nullable(),
  terms_url: z.string().nullable(),
  /** A balance below this is low. */
  low_balance: dollars,
  /** Says how credit is bought, in the operator's words. */
  credit_text: z.string().nullable(),
})

const user = z.object({
  user_id: z.string(),
  email: z.string(),
  display_name: z.string(),
  /**
   * Whether the user has a password. Users without one sign in another way, and are not asked for
   * it.
   */
  has_password: z.boolean(),
  /** Whether they can sign in by the identity provider. */
  is_linked: z.boolean(),
})

/** The ways in which somebody can sign in here beside the password. */
const waysIn = z.object({
  /** The words of the button for the identity provider; null means that there is none. */
  provider_label: z.string().nullable(),
  passkeys: z.boolean(),
  /** Whom the proxy in front of the server names in this request; null: nobody. */
  proxy_email: z.string().nullable(),
})

/** A session. A sign-in and an accepted link answer with one too. */
export const session = z.object({
  /** Is null without a session; then the four below are empty too. */
  user: user.nullable(),
  /** The role of those who run the service; null for customers. */
  platform_role: platformRole.nullable(),
  accounts: z.array(
    z.object({
      account_id: z.string(),
      name: z.string(),
      role: accountRole,
      /** `damaged`: its records cannot be relied on, and its name is its id. */
      status: z.enum(['open', 'frozen', 'closed', 'damaged']),
    }),
  ),
  /** The two ends of the session: without any request, and in any case. */
  idle_expires_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  branding,
  sign_up: signUpPolicy,
  ways_in: waysIn,
  /** The URL to which clients send their requests, without `/v1`. */
  base_url: z.string(),
  version: z.string(),
  /** The server's time, so that a browser with a wrong clock can tell ages. */
  now: z.string(),
})

const openSession = z.object({
  session_id: z.string(),
  /** Whether it is the one that asks. */
  current: z.boolean(),
  created_at: z.string(),
  last_used_at: z.string(),
  expires_at: z.string(),
  /** The address that it was last used from. */
  address: z.string(),
  /** What the browser says it is, cut short. */
  user_agent: z.string(),
})

const linkDetails = z.object({
  /** `owner`: of the first start. `reset`: for a new password of one user. */
  kind: z.enum(['owner', 'invitation', 'reset']),
  expires_at: z.string(),
  /** The role that whoever accepts the link gets. */
  platform_role: platformRole.nullable(),
  account: z.object({ account_id: z.string(), name: z.string(), role: accountRole }).nullable(),
})

export const sessionOperations = {
  session: dashboardOperation({
    method: 'GET',
    path: '/session',
    access: 'anybody',
    summary: 'Who am I, and where: also answers those who are not signed in',
    input: nothing,
    output: session,
  }),
  signIn: dashboardOperation({
    method: 'POST',
    path: '/session/sign-in',
    access: 'anybody',
    summary: 'Sign in with e-mail and password',
    input: z.strictObject({ email, password: givenPassword }),
    output: session,
  }),
  signOut: dashboardOperation({
    method: 'POST',
    path: '/session/sign-out',
    access: 'anybody',
    summary: 'End this session on the server; without one nothing happens',
    input: nothing,
    output: session,
  }),
  signUp: dashboardOperation({
    method: 'POST',
    path: '/session/sign-up',
    access: 'anybody',
    summary: 'Become a user with an account of their own, where the operator has opened that',
    input: z.strictObject({ email, display_name: name, password: newPassword, account_name: name }),
    output: session,
  }),
  lookAtLink: dashboardOperation({
    method: 'POST',
    path: '/links/look',
    access: 'anybody',
    summary: 'What a link is for, before it is used',
    input: z.strictObject({ secret: linkSecret }),
    output: linkDetails,
  }),
  acceptLink: dashboardOperation({
    method: 'POST',
    path: '/links/accept',
    access: 'anybody',
    summary: 'Use a link: become a user, or join as the one who is signed in, or set a password',
    input: z.strictObject({
      secret: linkSecret,
      /**
       * Somebody new gives all three, and somebody whom the proxy names gives only `display_name`.
       * A reset needs `password` alone, and who is signed in gives none.
       */
      email: email.optional(),
      display_name: name.optional(),
      password: newPassword.optional(),
    }),
    output: session,
  }),
  changePassword: dashboardOperation({
    method: 'POST',
    path: '/password',
    access: 'signed-in',
    summary: 'Set another password; all other sessions of the user end',
    input: z.strictObject({ current_password: givenPassword, new_password: newPassword }),
    output: session,
  }),
  changeProfile: dashboardOperation({
    method: 'POST',
    path: '/profile',
    access: 'signed-in',
    summary: 'Change how the user is shown to others',
    input: z.strictObject({ display_name: name }),
    output: session,
  }),
  listSessions: dashboardOperation({
    method: 'GET',
    path: '/sessions',
    access: 'signed-in',
    summary: 'The sessions of the user, the last used first',
    input: nothing,
    output: z.array(openSession),
  }),
  endSession: dashboardOperation({
    method: 'POST',
    path: '/sessions/:session_id/end',
    access: 'signed-in',
    summary: 'End a session of the user at once',
    input: z.strictObject({ session_id: z.string().min(1).max(ID_CHARACTERS_MAX) }),
    output: z.object({ ended: z.int().min(0) }),
  }),
  endOtherSessions: dashboardOperation({
    method: 'POST',
    path: '/sessions/end-others',
    access: 'signed-in',
    summary: 'End every session of the user but this one',
    input: nothing,
    output: z.object({ ended: z.int().min(0) }),
  }),
}
