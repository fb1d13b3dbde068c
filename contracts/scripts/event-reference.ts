/** The page `docs/reference/events.md`, made of the schemas of the events. */
import { z } from 'zod'
import { accountEventSchemas } from '../src/events/account.ts'
import { adminTokenEventSchemas, adminTokensStream } from '../src/events/admin-tokens.ts'
import { auditEventSchemas, auditStream } from '../src/events/audit.ts'
import { checkpointsStream, evidenceEventSchemas } from '../src/events/evidence.ts'
import { pricingEventSchemas, pricingStream } from '../src/events/pricing.ts'
import type { DomainEvent } from '../src/events/storage/codec.ts'
import { currentVersion } from '../src/events/storage/upcast.ts'
import { userEventSchemas, usersStream } from '../src/events/users.ts'
import { verificationEventSchemas, verificationsStream } from '../src/events/verifications.ts'
import { picoDollars } from '../src/money.ts'
import { markdownTable } from './markdown-table.ts'

/** An event type without a sentence here does not compile. */
const meanings: Record<DomainEvent['type'], string> = {
  AccountOpened: 'A customer account exists from here on, with a balance of nothing.',
  SpendPolicySet:
    'How the account is treated when its credit runs short. `standard`: one request may go below ' +
    'zero; `strict`: none.',
  PriceListSet: 'Requests accepted from here on are pinned to prices of this list.',
  AccountRenamed: 'The account has another name.',
  AccountFrozen:
    'No request is accepted until the account is unfrozen. What runs is stopped: what of it had been sent is charged.',
  AccountUnfrozen: 'Requests are accepted again.',
  AccountClosed:
    'The account and its keys have ended, and the balance is zero: it was, or the rest was written ' +
    'off or paid out, with `amount`, below zero for credit and above it for a debt.',
  TextsErased:
    'All texts about people that the account had beside the log are gone: where an event has their ' +
    'words, `erased` is shown.',
  ApiKeyRenamed: 'The key has another name.',
  ApiKeyExpirySet: 'The key ends at `expiresAt`, earlier than it would have.',
  GrantVoided:
    'A grant is taken back: what was left of it and, for what was spent, other credit (`slices`). ' +
    'What no credit covers is `debt`.',
  CreditRefunded:
    'What a request was debited is given back, or a part of it: a debt is paid first, the rest goes ' +
    'to the slices that paid. What has no grant to go back to is new credit with the id of the refund.',
  BalanceAdjusted:
    'The balance is set right, up or down. An amount up pays a debt first, and the rest is new ' +
    'credit with the id of the adjustment. `correction` names the wrong price that it makes good.',
  ApiKeyCreated: 'A key may spend the credit of the account. Only the hash of its secret is kept.',
  ApiKeyRevoked: 'The key is refused from here on; requests that run already end and are charged.',
  CreditGranted:
    'The account has more credit. A debt is paid first, with `paidDebt` of the amount.',
  CreditExpired: 'What was left of a grant is past its time.',
  RequestAccepted:
    'A request may run: the price is pinned, and `hold` of the credit is set aside for it.',
  TokensMetered: 'What the worker computed for a request. The only thing that a charge is made of.',
  CreditDebited:
    'What the metered tokens cost at the pinned price, line by line, and the grants that paid. The ' +
    'hold ends.',
  RequestFailed:
    'The request ended without success. A charge, if any, is the CreditDebited before it. The hold ends.',
  RequestAbandoned:
    'The request ended because its gateway died. Nothing is charged. The hold ends.',
  PricePublished:
    'A model has a new price on a list, for the requests accepted from `effectiveFrom` on.',
  PriceWithdrawn: 'A price that was announced never takes effect.',
  PriceCorrected:
    'A price was wrong for the requests that were accepted from one moment to another, and another would ' +
    'have been right. What is due for them stands in the accounts, as BalanceAdjusted of the same run.',
  AdminTokenCreated:
    'A token may call the admin API with its role. Only the hash of its secret is kept.',
  AdminTokenRevoked: 'The token is refused from here on.',
  RecordsRead:
    "The holder of an admin token, whom the actor names, was shown customers' records, or somebody " +
    'took a file of an account, in the dashboard or with a key. `subject` says ' +
    'whose, and from when to when; null: all of them.',
  SubjectTextsErased:
    'All texts that were kept in the name of an admin token, a price or a run of corrections are gone: ' +
    'where an event has their words, `erased` is shown.',
  UserSignedIn:
    'A user of the dashboard has signed in; `way` says how. The same within a minute is one event.',
  UserSignedOut:
    'A user of the dashboard has ended their session. The same within a minute is one.',
  SignInsRefused:
    '`count` sign-ins were refused between `since` and `at`; `userId` is null where no user has the address.',
  PasskeyAdded: 'The user can sign in with another passkey.',
  PasskeyRemoved: 'The passkey opens nothing any more.',
  IdentityLinked: 'The user can sign in by the identity provider `issuer`.',
  IdentityUnlinked: 'The identity provider signs the user in no more.',
  LinkIssued:
    'A link lets one person in, or one user set a password, once and until its end. Only the hash of ' +
    'its secret is kept.',
  LinkUsed: 'The link has been used, and is useless from here on.',
  LinkRevoked: 'The link is useless from here on.',
  UserJoined:
    'Somebody can use the dashboard. Who that is stands beside the log, and can be erased.',
  PlatformRoleSet: 'What the user may do in the running of the service; null: nothing.',
  MembershipSet: 'What the user may do in an account; null: nothing.',
  PasswordSet: 'The user has another password, and every session from before has ended.',
  UserStatusSet: 'A user who is not active cannot sign in, and every session has ended.',
  CheckpointSigned:
    'The Merkle tree over all other events had this size and this root. Each goes on from the one ' +
    'before: a gateway hands a checkpoint out only when it stands here.',
  LogVerified:
    'Somebody, whom the actor names, had the whole log checked, or what lies behind `from`, on a running ' +
    'server. `found` counts what is wrong, by its kind.',
}

const introduction = `# Events

<!-- Written by \`npm run docs:events\` from \`contracts/src/events\`. Do not edit by hand. -->

The log of these events is the only source of truth: balances, statements and receipts are computed
from it. An event is never changed or removed; a correction is another event. Events hold no prompt,
no answer. Texts about people, such as names, reasons and references, are kept beside the log,
where they can be erased: the event has a word in their place, \`text:<owner>/<id>/<hash>\`, in which
the hash is SHA-256 of a salt and the text. Versions from before that have the texts themselves.

- _Money_ is a whole number of pico-dollars (1e-12 USD) as decimal text: \`"5000000000000"\` is $5.
- _Time_ is a whole number of milliseconds since 1970, UTC. \`at\` is when the event was decided.
- _Metadata_ beside the data: \`schemaVersion\`, \`correlationId\` (the request, grant, key … that the
  event belongs to), \`causationId\` (what caused it), \`actor\` (\`gateway:<id>\`, \`operator\`,
  \`operator:<name of an admin token>\`, \`user:<id>\`, \`sweeper\`, \`evidence\`, \`top-ups\`, \`sign-up\`,
  \`first-run\`, or the id of an API key).
- _Hash_: SHA-256 of the JSON array of previous hash, stream, revision, id, type, data and metadata,
  where data and metadata are the exact stored text. It chains every event to the one before it in
  its stream; the first event's previous hash is 64 zeros.

## As JSON Schema

Each event of accounts and prices has a file in [\`events/\`](events/), named for its type and version. They describe the values of the records
that [Kafka is sent](../how-to/send-events-to-kafka.md).
`

type JsonSchema = z.core.JSONSchema.JSONSchema

const money = JSON.stringify(jsonSchema(picoDollars))

/** @returns the page as Markdown, in the order of the schemas */
export function eventReference(): string {
  return [
    introduction,
    streamSection('`account-<account id>`: one stream for each account', accountEventSchemas),
    streamSection(`\`${pricingStream}\`: one stream for all prices`, pricingEventSchemas),
    streamSection(
      `\`${adminTokensStream}\`: one stream for all admin tokens`,
      adminTokenEventSchemas,
    ),
    streamSection(
      `\`${auditStream}\`: one stream for what was read, and who signed in`,
      auditEventSchemas,
    ),
    streamSection(
      `\`${usersStream}\`: one stream for the users of the dashboard`,
      userEventSchemas,
    ),
    streamSection(
      `\`${checkpointsStream('<name of the log>')}\`: one stream for each name that the log is signed under`,
      evidenceEventSchemas,
    ),
    streamSection(
      `\`${verificationsStream}\`: one stream for the checks of the log`,
      verificationEventSchemas,
    ),
  ].join('\n')
}

function streamSection(title: string, schemas: Readonly<Record<string, z.ZodType>>): string {
  const events = Object.entries(schemas).map(([type, schema]) =>
    [
      `### ${type}\n`,
      `${meanings[type as DomainEvent['type']]} Version ${currentVersion(type)}.\n`,
      markdownTable([['Field', 'Type'], ...fieldRows(jsonSchema(schema), '')]),
      '',
    ].join('\n'),
  )
  return `## ${title}\n\n${events.join('\n')}`.trimEnd().concat('\n')
}

function fieldRows(schema: JsonSchema, path: string): readonly (readonly string[])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = property as JsonSchema
    const inner = someOf(field)
    return [
      [`\`${path}${name}\``, typeName(field)],
      ...fieldRows(inner, `${path}${name}.`),
      ...fieldRows((inner.items ?? {}) as JsonSchema, `${path}${name}[].`),
    ]
  })
}

function typeName(schema: JsonSchema): string {
  if (JSON.stringify(schema) === money) return 'money'
  if (schema.anyOf) return schema.anyOf.map((one) => typeName(one as JsonSchema)).join(' or ')
  if (schema.const !== undefined) return `\`"${schema.const}"\``
  if (schema.enum) return schema.enum.map((value) => `\`"${value}"\``).join(', ')
  if (Array.isArray(schema.type)) return schema.type.map(plainName).join(' or ')
  if (schema.type === 'array') return 'list'
  if (schema.type === 'integer' || schema.type === 'number') return numberName(schema)
  return plainName(String(schema.type))
}

function plainName(type: string): string {
  return type === 'string' ? 'text' : type
}

function numberName({ type, minimum, maximum }: JsonSchema): string {
  if (type === 'number') return 'number, 0 or more'
  const isUnbounded = maximum === Number.MAX_SAFE_INTEGER
  // A time may be 0; nothing that is counted without a bound is.
  if (isUnbounded) return minimum === 0 ? 'time' : `whole number, ${minimum} or more`
  return `whole number, 0 to ${maximum?.toLocaleString('en')}`
}

/** The schema of a field that may be null, for when it is not. */
function someOf(schema: JsonSchema): JsonSchema {
  const options = (schema.anyOf ?? [schema]) as readonly JsonSchema[]
  return options.find(({ type }) => type !== 'null') ?? schema
}

function jsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return rest
}
