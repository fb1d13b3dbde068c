/** The events of the one stream `audit`. The names and shapes are the storage format. */
import { z } from 'zod'
import { freeText } from './account.ts'

export const auditStream = 'audit'

/** `provider`: an identity provider, by OpenID Connect. `proxy`: the header of a trusted proxy. */
export const signInWays = ['password', 'passkey', 'provider', 'proxy'] as const
export type SignInWay = (typeof signInWays)[number]

const at = { at: z.int().min(0) }

export const auditEventSchemas = {
  RecordsRead: z.object({
    /** The operation of the admin API, such as `statement`. */
    operation: z.string(),
    /** The part of the question that says whose records, and of when; null means all of them. */
    subject: z.record(z.string(), z.string().nullable()),
    ...at,
  }),
  /**
   * The texts that were kept in the name of an admin token, a price or a run of corrections are
   * gone since then. Only of one that nothing is written about any more.
   */
  SubjectTextsErased: z.object({
    changeId: z.string(),
    /** The id of the token, price or run. */
    subject: z.string(),
    reason: freeText,
    ...at,
  }),
  UserSignedIn: z.object({ userId: z.string(), way: z.enum(signInWays), ...at }),
  UserSignedOut: z.object({ userId: z.string(), ...at }),
  SignInsRefused: z.object({
    /** Null stands for addresses that no user has. */
    userId: z.string().nullable(),
    count: z.int().min(1),
    /** The time when the first of them was refused. */
    since: z.int().min(0),
    ...at,
  }),
  PasskeyAdded: z.object({ userId: z.string(), passkeyId: z.string(), ...at }),
  PasskeyRemoved: z.object({ userId: z.string(), passkeyId: z.string(), ...at }),
  /** Whom of theirs it is, only the file of the users says. */
  IdentityLinked: z.object({ userId: z.string(), issuer: z.string(), ...at }),
  IdentityUnlinked: z.object({ userId: z.string(), issuer: z.string(), ...at }),
} as const

type Schemas = typeof auditEventSchemas

export type AuditEvent = {
  [T in keyof Schemas]: { readonly type: T; readonly data: Readonly<z.output<Schemas[T]>> }
}[keyof Schemas]
