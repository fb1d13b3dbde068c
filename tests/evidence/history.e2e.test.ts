/** What becomes of the evidence of a whole server that stops, loses its key, or is restored. */
import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseCheckpoint } from '@svc/contracts/evidence/checkpoint'
import { parseNote } from '@svc/contracts/evidence/signed-note'
import { svc } from '@svc/testing/run-svc'
import { type RunningServer, startRunningServer } from '@svc/testing/running-server'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { withoutModel } from '@svc/testing/without-model'
import { beforeEach, expect, test } from 'vitest'
import { pay } from '../eventstore/server-story.ts'

let environment: Record<string, string>
let dataDir: string

beforeEach(async () => {
  environment = await withoutModel({ tokens: 3 })
  dataDir = join(temporaryFolder(), 'data')
})

const start = (folder = dataDir) => startRunningServer(environment, folder)

async function stop({ process }: RunningServer): Promise<void> {
  expect(await process.stop()).toEqual({ code: 0, signal: null })
}

/** One request, to its end: three events. The key is told at the first start alone. */
async function ask({ ready }: RunningServer, { ready: { apiKey } }: RunningServer): Promise<void> {
  await pay(ready.baseUrl, apiKey)
}

async function textOf({ ready }: RunningServer, path: string): Promise<string> {
  const answer = await fetch(`${ready.baseUrl}${path}`)
  expect(answer.status).toBe(200)
  return answer.text()
}

/** The last checkpoint in a folder that no server has open. */
function kept(folder = dataDir) {
  const note = readFileSync(join(folder, 'checkpoint'), 'utf8')
  return { note, ...parseCheckpoint(parseNote(note)) }
}

async function exported(accountId: string): Promise<string> {
  const file = join(temporaryFolder(), 'evidence.jsonl')
  const { code, err } = await svc([
    '--data-dir',
    dataDir,
    'evidence',
    'export',
    accountId,
    '-o',
    file,
  ])
  expect(code, err).toBe(0)
  return file
}

async function verdictOn(file: string, key: string, ...more: string[]) {
  const { out } = await svc(['verify-evidence', file, '--key', key, '--json', ...more])
  return JSON.parse(out)
}

const publicKey = async () =>
  (await svc(['--data-dir', dataDir, 'evidence', 'public-key'])).out.trim()

test('a server that stops signs what has come, and a start in which nothing comes signs nothing', async () => {
  const first = await start()
  await ask(first, first)
  await stop(first)
  const signed = kept()
  const events = async () => {
    const list = ['--data-dir', dataDir, 'events', 'list', '--limit', '100', '--format', 'jsonl']
    const { out } = await svc(list)
    return out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const all = await events()
  const leaves = all.filter(({ type }) => type !== 'CheckpointSigned')
  expect(signed.size).toBe(leaves.length)
  expect(all.at(-1)).toMatchObject({ type: 'CheckpointSigned', data: { note: signed.note } })
  await stop(await start())
  expect(kept().note).toBe(signed.note)
  expect(await events()).toHaveLength(all.length)
})

test('a lost key begins a new epoch that says so, whose evidence needs the new key', async () => {
  const first = await start()
  const { accountId } = first.ready
  await ask(first, first)
  await stop(first)
  const [lost, before] = [await publicKey(), kept()]
  const old = await exported(accountId)
  rmSync(join(dataDir, 'evidence-key.json'))

  const second = await start()
  expect(second.process.stderr).toContain('the key of the evidence is gone, a new epoch begins')
  const key = (await textOf(second, '/evidence/key')).trim()
  const origin = `${before.origin}/epoch-2`
  expect(key.startsWith(`${origin}+`)).toBe(true)
  expect((await textOf(second, '/evidence/checkpoint')).startsWith(`${origin}\n`)).toBe(true)
  await ask(second, first)
  await stop(second)
  const fresh = await exported(accountId)
  expect(await verdictOn(fresh, key)).toMatchObject({ verdict: 'ok' })
  expect(await verdictOn(fresh, lost)).toMatchObject({ first_broken: { what: 'checkpoint' } })
  expect(await verdictOn(old, lost)).toMatchObject({ verdict: 'ok' })
  // The next start goes on with the epoch that has begun.
  const third = await start()
  expect((await textOf(third, '/evidence/key')).trim()).toBe(key)
  await stop(third)
})

test('an older copy of everything is refused by a witness, one of the log alone by the server', async () => {
  const first = await start()
  await ask(first, first)
  await stop(first)
  const backup = join(temporaryFolder(), 'backup')
  cpSync(dataDir, backup, { recursive: true })

  const second = await start()
  await ask(second, first)
  const key = (await textOf(second, '/evidence/key')).trim()
  const folder = join(temporaryFolder(), 'witness')
  const look = ({ ready }: RunningServer) =>
    svc(['witness', '--log', ready.baseUrl, '--key', key, '--folder', folder, '--once'])
  await second.operations
    .exportEvidence({ account_id: second.ready.accountId })
    [Symbol.asyncIterator]()
    .next()
  expect(await look(second)).toMatchObject({ code: 0 })
  await stop(second)
  const cosigned = join(folder, 'checkpoint')
  expect(parseCheckpoint(parseNote(readFileSync(cosigned, 'utf8'))).size).toBe(kept().size)

  const whole = await start(backup)
  const refused = await look(whole)
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('its end was cut off')])
  await stop(whole)

  // Only the events are put back: the folder knows what it has signed.
  for (const name of ['ledger.db', 'ledger.db-wal', 'ledger.db-shm']) {
    rmSync(join(dataDir, name), { force: true })
  }
  renameSync(join(backup, 'ledger.db'), join(dataDir, 'ledger.db'))
  const restored = await start()
  const { apiKey = '' } = first.ready
  const headers = { authorization: `Bearer ${apiKey}` }
  const answer = await fetch(`${restored.ready.baseUrl}/v1/evidence`, { headers })
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ error: { code: 'evidence_contradicted' } })
  // Money goes on.
  await ask(restored, first)
  await stop(restored)
  // Whoever accepts it says so: a new epoch.
  rmSync(join(dataDir, 'evidence-key.json'))
  const accepted = await start()
  expect((await textOf(accepted, '/evidence/checkpoint')).split('\n')[0]).toMatch(/\/epoch-2$/)
  await stop(accepted)
  const file = await exported(first.ready.accountId)
  expect(await verdictOn(file, await publicKey())).toMatchObject({ verdict: 'ok' })
  expect(await verdictOn(file, key)).toMatchObject({ verdict: 'broken' })
})
