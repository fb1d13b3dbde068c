/** What is written about the people behind an account, in every place, and what is left of it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Operations } from '@svc/contracts/admin/operations'
import { expect } from 'vitest'

/** In every text of the account; no other text has it. */
export const MARKER = 'Ada-Lovelace-marker'
const OTHER = 'another customer'
const A_DAY_MS = 86_400_000

export interface PersonalAccount {
  readonly accountId: string
  readonly otherId: string
  readonly secret: string
  /** What else has texts with the marker. */
  readonly subjects: readonly string[]
  /** All that was sent, to be sent again. */
  again(operations: Operations): Promise<readonly { readonly created: boolean }[]>
}

/** An account whose every text has the marker, and another one that has other texts. */
export async function openPersonalAccount(operations: Operations): Promise<PersonalAccount> {
  const terms = {
    name: `${MARKER} Ltd`,
    spend_policy: 'standard',
    external_id: `crm ${MARKER}`,
    metadata: { contact: `${MARKER}@example.com` },
  } as const
  const { account_id: accountId } = await operations.openAccount(terms)
  const asked = { account_id: accountId, reason: `asked by ${MARKER}` }
  const credit = {
    ...asked,
    amount: '5',
    category: 'paid',
    priority: 100,
    expires_at: null,
    reference: `transfer of ${MARKER}`,
  } as const
  const key = {
    account_id: accountId,
    name: `laptop of ${MARKER}`,
    expires_at: null,
    external_id: `device of ${MARKER}`,
  }
  await operations.grant(credit)
  const { key_id: keyId, secret } = await operations.createKey(key)
  const adjusted = { ...asked, amount: '1', reference: `note ${MARKER}`, idempotency_key: 'adjust' }
  await operations.adjust(adjusted)
  await operations.renameKey({ ...asked, key_id: keyId, name: `${MARKER}'s phone` })
  await operations.renameAccount({ ...asked, name: `${MARKER} & Co.` })
  await operations.freezeAccount(asked)
  await operations.unfreezeAccount(asked)
  const other = await operations.openAccount({ name: OTHER, spend_policy: 'standard' })
  const again = ({ openAccount, grant, createKey, adjust }: Operations) =>
    Promise.all([openAccount(terms), grant(credit), createKey(key), adjust(adjusted)])
  const subjects = [await endedToken(operations), await withdrawnPrice(operations)]
  return { accountId, otherId: other.account_id, secret: secret ?? '', subjects, again }
}

async function endedToken(operations: Operations): Promise<string> {
  const named = { name: MARKER.toLowerCase(), role: 'auditor', expires_at: null } as const
  const { token_id } = await operations.createAdminToken(named)
  await operations.revokeAdminToken({ token_id, reason: `lost by ${MARKER}` })
  return token_id
}

async function withdrawnPrice(operations: Operations): Promise<string> {
  const [known] = await operations.listPrices()
  const { version } = await operations.publishPrice({
    model: known?.model ?? 'svc-beta',
    input: '1',
    cached_input: '1',
    output: '1',
    effective_from: new Date(Date.now() + A_DAY_MS).toISOString(),
    confirm: true,
  })
  await operations.withdrawPrice({ version, reason: `${MARKER} objected` })
  return version
}

/** Everything that an operator is shown of an account. */
export async function shownOf(
  operations: Operations,
  { accountId }: PersonalAccount,
): Promise<string> {
  const account = { account_id: accountId }
  const answers = await Promise.all([
    operations.showAccount(account),
    operations.listAccounts({ limit: 100 }),
    operations.listKeys(account),
    operations.statement({ ...account, limit: 100 }),
    operations.listAdminTokens(),
    operations.listPrices(),
  ])
  const { events } = await operations.listEvents({ limit: 1_000 })
  return JSON.stringify([answers, events])
}

/** The files of a folder that have the marker in some of their bytes. */
export function filesWithMarker(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  return files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => readFileSync(path, 'latin1').toLowerCase().includes(MARKER.toLowerCase()))
    .map((path) => path.slice(folder.length + 1))
}

/** After the erasure: what is shown, and that what was asked before is known again. */
export async function expectErased(
  operations: Operations,
  account: PersonalAccount,
): Promise<void> {
  const shown = await shownOf(operations, account)
  expect(shown.toLowerCase()).not.toContain(MARKER.toLowerCase())
  expect(shown).toContain('"name":"erased"')
  expect(shown).toContain('"reason":"erased"')
  expect(shown).toContain(OTHER)
  expect((await account.again(operations)).map(({ created }) => created)).toEqual(
    Array(4).fill(false),
  )
}
