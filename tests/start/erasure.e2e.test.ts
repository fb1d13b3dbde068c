/** What was written about people leaves every file of the data folder when it is erased. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { svc } from '@svc/testing/run-svc'
import { startRunningServer } from '@svc/testing/running-server'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { verified } from '@svc/testing/verified'
import { withoutModel } from '@svc/testing/without-model'
import { expect, test } from 'vitest'
import {
  expectErased,
  filesWithMarker,
  MARKER,
  openPersonalAccount,
  shownOf,
} from '../eventstore/erasure.ts'

/** @returns the path of a file that lies outside of the data folder */
async function evidenceOf(dataDir: string, accountId: string, name: string): Promise<string> {
  const file = join(dataDir, '..', name)
  const words = ['evidence', 'export', accountId, '--output', file, '--data-dir', dataDir]
  const { code, err } = await svc(words)
  expect(code, err).toBe(0)
  return file
}

async function verdictOn(
  dataDir: string,
  file: string,
): Promise<{ readonly verdict: string; readonly events: number }> {
  const { out: key } = await svc(['evidence', 'public-key', '--data-dir', dataDir])
  const { out } = await svc(['verify-evidence', file, '--key', key.trim(), '--json'])
  return JSON.parse(out)
}

test('texts of an account are gone from every file, and every chain holds', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const environment = await withoutModel()
  const first = await startRunningServer(environment, dataDir)
  const { operations } = first
  const account = await openPersonalAccount(operations)
  expect((await account.again(operations)).map(({ created }) => created)).toEqual(
    Array(4).fill(false),
  )
  expect(await shownOf(operations, account)).toContain(`transfer of ${MARKER}`)
  const { baseUrl } = first.ready
  const ownStatement = async () => {
    const headers = { authorization: `Bearer ${account.secret}` }
    return (await fetch(`${baseUrl}/v1/statement`, { headers })).text()
  }
  expect(await ownStatement()).toContain(`asked by ${MARKER}`)
  // The texts are nowhere but in their own file: not in the log, a view or a snapshot.
  expect(new Set(filesWithMarker(dataDir).map((file) => file.split('-')[0]))).toEqual(
    new Set(['texts.db']),
  )

  const before = await evidenceOf(dataDir, account.accountId, 'before.jsonl')
  expect(await verdictOn(dataDir, before)).toMatchObject({ verdict: 'ok', first_broken: null })

  const erase = ['account', 'erase', account.accountId, '--reason', 'she asked for it']
  const tried = await svc([...erase, '--dry-run', '--data-dir', dataDir])
  expect([tried.code, tried.err]).toEqual([
    0,
    expect.stringMatching(/1[0-9] texts would be erased/),
  ])
  expect(filesWithMarker(dataDir)).not.toEqual([])
  for (const subject of account.subjects) {
    const gone = await svc(['erase', subject, '--reason', 'r', '--yes', '--data-dir', dataDir])
    expect([gone.code, gone.err]).toEqual([0, expect.stringMatching(/[12] texts? erased/)])
  }
  const erased = await svc([...erase, '--yes', '--data-dir', dataDir])
  expect([erased.code, erased.err]).toEqual([0, expect.stringMatching(/1[0-9] texts erased/)])

  expect(filesWithMarker(dataDir)).toEqual([])
  await expectErased(operations, account)
  // Evidence that a customer saved before still proves itself, and so does that of today.
  const after = await evidenceOf(dataDir, account.accountId, 'after.jsonl')
  const [then, now] = [await verdictOn(dataDir, before), await verdictOn(dataDir, after)]
  expect([then, now]).toMatchObject(Array(2).fill({ verdict: 'ok', first_broken: null }))
  expect(now.events).toBe(then.events + 1)
  expect(readFileSync(after, 'utf8')).not.toContain(MARKER)
  expect(await ownStatement()).not.toContain(MARKER)
  const { broken, texts } = await verified(operations)
  expect([broken, texts.altered, texts.missing]).toEqual([[], [], []])
  expect(texts.erased).toBeGreaterThan(10)
  const { events } = await operations.listEvents({ type: 'TextsErased', limit: 10 })
  expect(events).toMatchObject([{ metadata: { actor: 'operator' } }])
  await first.process.stop()
  expect(filesWithMarker(dataDir)).toEqual([])

  rmSync(join(dataDir, 'views'), { recursive: true })
  rmSync(join(dataDir, 'snapshots.db'))
  const second = await startRunningServer(environment, dataDir)
  await expectErased(second.operations, account)
  await second.operations.renameAccount({
    account_id: account.accountId,
    name: 'a new name',
    reason: 'new people',
  })
  expect(await shownOf(second.operations, account)).toContain('a new name')
  expect((await verified(second.operations)).texts).toMatchObject({ altered: [], missing: [] })
  await second.process.stop()
})

/** A conversation that an account keeps with the server, and a retry of its answer. */
function conversationOf(baseUrl: string, secret: string) {
  const authorization = `Bearer ${secret}`
  const ask = async (path: string) => {
    const answer = await fetch(`${baseUrl}/v1/responses${path}`, { headers: { authorization } })
    return { status: answer.status, text: await answer.text() }
  }
  const begin = () =>
    fetch(`${baseUrl}/v1/responses`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': 'once' },
      body: JSON.stringify({ model: 'svc-beta', input: `I am ${MARKER}`, max_output_tokens: 2 }),
    })
  return { begin, asked: (id: string) => ask(`/${id}/input_items`) }
}

test.each(['runs', 'is stopped'])(
  'what an account asked and was answered is erased with its texts while the server %s',
  async (state) => {
    const dataDir = join(temporaryFolder(), 'data')
    const environment = await withoutModel()
    const first = await startRunningServer(environment, dataDir)
    const { baseUrl, apiKey = '' } = first.ready
    const { accountId, secret } = await openPersonalAccount(first.operations)
    const [own, other] = [secret, apiKey].map((key) => conversationOf(baseUrl, key))
    if (own === undefined || other === undefined) throw new Error('two were asked for')
    const ids: string[] = []
    for (const { begin, asked } of [own, other]) {
      const { id } = (await (await begin()).json()) as { readonly id: string }
      expect((await asked(id)).text).toContain(MARKER)
      ids.push(id)
    }
    const [ownId = '', otherId = ''] = ids
    if (state === 'is stopped') await first.process.stop()
    const erase = ['account', 'erase', accountId, '--reason', 'r', '--yes', '--data-dir', dataDir]
    const { code, err } = await svc(erase)
    expect(code, err).toBe(0)
    const next = state === 'runs' ? first : await startRunningServer(environment, dataDir)
    const after = [secret, apiKey].map((key) => conversationOf(next.ready.baseUrl, key))
    expect(await after[0]?.asked(ownId)).toMatchObject({ status: 404 })
    expect((await after[1]?.asked(otherId))?.text).toContain(MARKER)
    // It is paid for, and there is nothing to give again.
    expect((await after[0]?.begin())?.status).toBe(409)
    expect((await after[1]?.begin())?.status).toBe(200)
    await next.process.stop()
  },
)
