/** What was written about admin tokens and prices: shown, found again, erased, and only then. */
import { rootCaller } from '@svc/contracts/admin/caller'
import type { Operations } from '@svc/contracts/admin/operations'
import { decodeEvent } from '@svc/contracts/events/codec'
import { START } from '@svc/contracts/ports/event-store'
import { openRunningService, type RunningService } from '@svc/testing/running-service'
import { beforeEach, expect, test } from 'vitest'

const DAY_MS = 86_400_000
const reason = 'Ada asked for it'
const auditor = { role: 'auditor', expires_at: null } as const
const rates = {
  model: 'svc-beta',
  input: '1',
  cached_input: '1',
  output: '1',
  effective_from: null,
  confirm: true,
}

let service: RunningService
let operations: Operations

beforeEach(async () => {
  service = await openRunningService()
  operations = service.operationsOf(rootCaller)
})

async function stored(): Promise<string> {
  const events = await service.store.readAll({ after: START, limit: 1_000 })
  return JSON.stringify(events.map(({ data, metadata }) => [data, metadata]))
}

const eventsOf = async (type: string) =>
  (await service.store.readAll({ after: START, limit: 1_000 }))
    .filter((event) => event.type === type)
    .map((event) => decodeEvent(event).data)

test('a token is shown by a name that is in no event, and erased once it has ended', async () => {
  const { token_id } = await operations.createAdminToken({ ...auditor, name: 'ada' })
  const erase = { subject: token_id, reason: 'she left' }
  await expect(operations.eraseSubjectTexts(erase)).rejects.toMatchObject({ code: 'conflict' })
  await operations.revokeAdminToken({ token_id, reason: 'Ada left' })
  expect((await operations.listAdminTokens())[0]).toMatchObject({ name: 'ada' })
  for (const text of ['"ada"', 'Ada left', 'she left']) expect(await stored()).not.toContain(text)

  const dry = await operations.eraseSubjectTexts({ ...erase, dry_run: true })
  expect(dry).toEqual({ subject: token_id, texts: 2, dry_run: true })
  expect(await operations.eraseSubjectTexts(erase)).toMatchObject({ texts: 2 })
  expect(await operations.eraseSubjectTexts(erase)).toMatchObject({ texts: 0 })
  expect(await eventsOf('SubjectTextsErased')).toMatchObject([{ subject: token_id }])
  expect((await operations.listAdminTokens())[0]).toMatchObject({ name: 'erased' })
})

test('a name stands for one token, until it is erased', async () => {
  const named = { ...auditor, name: 'ada', idempotency_key: 'once' }
  const { token_id } = await operations.createAdminToken(named)
  const other = { ...auditor, name: 'ada' }
  await expect(operations.createAdminToken(other)).rejects.toMatchObject({ code: 'conflict' })
  const again = { token_id, secret: null, created: false }
  expect(await operations.createAdminToken(named)).toEqual(again)
  const renamed = { ...named, name: 'bob' }
  await expect(operations.createAdminToken(renamed)).rejects.toMatchObject({ code: 'conflict' })
  await operations.revokeAdminToken({ token_id, reason })
  await operations.eraseSubjectTexts({ subject: token_id, reason })
  expect(await operations.createAdminToken(named)).toEqual(again)
  expect(await operations.createAdminToken(other)).toMatchObject({ created: true })
})

test('why a price was withdrawn or corrected is in no event, and can be erased', async () => {
  const { version: wrong } = await operations.publishPrice(rates)
  const effective_from = new Date(Date.now() + DAY_MS).toISOString()
  const { version } = await operations.publishPrice({ ...rates, effective_from })
  await expect(operations.eraseSubjectTexts({ subject: version, reason })).rejects.toMatchObject({
    code: 'conflict',
  })
  await operations.withdrawPrice({ version, reason })
  const right = { input: '0.5', cached_input: '0.5', output: '1' }
  await operations.publishPrice({ ...rates, ...right })
  for await (const _ of operations.correctPrice({
    version: wrong,
    ...right,
    reason,
    idempotency_key: 'run',
  })) {
    // The correction has to run to its end.
  }
  expect(await stored()).not.toContain(reason)
  const [corrected] = (await eventsOf('PriceCorrected')) as { correction: { runId: string } }[]
  for (const subject of [version, corrected?.correction.runId ?? '']) {
    expect(await operations.eraseSubjectTexts({ subject, reason })).toMatchObject({ texts: 1 })
  }
})

test('why something was erased can be erased too', async () => {
  const { account_id } = await operations.openAccount({ name: 'Ada', spend_policy: 'strict' })
  await operations.eraseTexts({ account_id, reason: 'Ada Lovelace asked' })
  const [erasure] = (await eventsOf('TextsErased')) as { changeId: string; reason: string }[]
  const { changeId: subject = '', reason: word = '' } = erasure ?? {}
  expect([...(await service.texts.find([word])).values()]).toMatchObject([
    { text: 'Ada Lovelace asked' },
  ])
  expect(await operations.eraseSubjectTexts({ subject, reason })).toMatchObject({ texts: 1 })
  expect((await service.texts.find([word])).size).toBe(0)
  expect(await operations.eraseSubjectTexts({ subject, reason })).toMatchObject({ texts: 0 })
  const lines = []
  for await (const line of operations.verify({})) lines.push(line)
  expect(lines.at(-1)).toMatchObject({ texts: { erased: 2, missing: [], unfinished: [] } })
})

test('what is none of these has no texts to erase', async () => {
  const { account_id } = await operations.openAccount({ name: 'Ada', spend_policy: 'strict' })
  for (const subject of [account_id, 'tok_x', `tok_${'0'.repeat(26)}`, 'Ada']) {
    const erased = operations.eraseSubjectTexts({ subject, reason })
    await expect(erased).rejects.toMatchObject({ code: 'not_found' })
  }
})

test('whose texts go with an account or a user is told how', async () => {
  const { account_id } = await operations.openAccount({ name: 'Ada', spend_policy: 'strict' })
  for (const [subject, command] of [
    [account_id, 'svc account erase'],
    [`usr_${'0'.repeat(26)}`, 'svc user erase'],
  ]) {
    const erased = operations.eraseSubjectTexts({ subject: `${subject}`, reason })
    await expect(erased).rejects.toThrow(`${subject}. ${command} erases its texts.`)
  }
})

test('an external id is in no event, and finds its account and its key', async () => {
  const account = { name: 'Ada', spend_policy: 'strict', external_id: 'ada@example.com' } as const
  const { account_id } = await operations.openAccount(account)
  const key = { account_id, name: 'k', expires_at: null, external_id: 'phone of Ada' }
  const { key_id } = await operations.createKey(key)
  expect(await stored()).not.toMatch(/ada@example|phone of/)
  const { external_id } = account
  expect(await operations.listAccounts({ external_id, limit: 10 })).toMatchObject([
    { account_id, external_id },
  ])
  expect(await operations.listAccounts({ external_id: 'other', limit: 10 })).toEqual([])
  expect(await operations.listKeys({ account_id, external_id: 'phone of Ada' })).toMatchObject([
    { key_id, external_id: 'phone of Ada' },
  ])
  expect(await operations.openAccount(account)).toEqual({ account_id, created: false })
  expect(await operations.createKey(key)).toMatchObject({ key_id, created: false })
  await operations.eraseTexts({ account_id, reason })
  expect(await operations.openAccount(account)).toEqual({ account_id, created: false })
  expect(await operations.listAccounts({ external_id, limit: 10 })).toMatchObject([
    { account_id, external_id: 'erased' },
  ])
})

test('nothing is erased while a backup is written, which would lack the event of it', async () => {
  const backups = {
    isWriting: true,
    last: () => undefined,
    write: () => Promise.reject(new Error('not asked')),
  }
  const { operationsOf } = await openRunningService({ backups })
  const during = operationsOf(rootCaller)
  const { account_id } = await during.openAccount({ name: 'Ada', spend_policy: 'standard' })
  const { token_id } = await during.createAdminToken({ ...auditor, name: 'ada' })
  await during.revokeAdminToken({ token_id, reason })
  const refused = {
    code: 'conflict',
    message: expect.stringContaining('A backup is being written'),
  }
  await expect(during.eraseTexts({ account_id, reason })).rejects.toMatchObject(refused)
  const subject = { subject: token_id, reason }
  await expect(during.eraseSubjectTexts(subject)).rejects.toMatchObject(refused)
  expect(await during.eraseTexts({ account_id, reason, dry_run: true })).toMatchObject({ texts: 1 })
  backups.isWriting = false
  expect(await during.eraseTexts({ account_id, reason })).toMatchObject({ texts: 1 })
  expect(await during.eraseSubjectTexts(subject)).toMatchObject({ texts: 2 })
})
