/**
 * Erasing what was written about a person changes no evidence: files from before and after verify.
 *
 *     SVC_EVIDENCE_LANGUAGES=on     in Python and Go as well
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { beforeAll, expect, test } from 'vitest'
import { type ForeignVerifier, foreignVerifiers } from './languages.ts'

const BUILD_MS_MAX = 300_000
const scratch = mkdtempSync(join(tmpdir(), 'svc-evidence-erasure-'))
let foreign: readonly ForeignVerifier[] = []
beforeAll(() => {
  if (process.env.SVC_EVIDENCE_LANGUAGES === 'on') foreign = foreignVerifiers(scratch)
}, BUILD_MS_MAX)

test('evidence from before and after an erasure verifies, in every language', async () => {
  const { path } = await folderWithHistory()
  const run = async (...args: string[]) => {
    const { code, out, err } = await svc(['--data-dir', path, ...args])
    expect(code, err).toBe(0)
    return out.trim()
  }
  const account = await run('account', 'open', '--name', 'Ada Lovelace')
  await run('account', 'grant', account, '5', '--reason', 'paid by Ada', '--ref', 'transfer of Ada')
  const [old, fresh, checkpoint] = ['old', 'fresh', 'checkpoint'].map((name) => join(scratch, name))
  if (old === undefined || fresh === undefined || checkpoint === undefined) throw new Error('names')
  await run('evidence', 'export', account, '-o', old)
  writeFileSync(checkpoint, JSON.parse(readFileSync(old, 'utf8').split('\n')[0] ?? '').checkpoint)
  await run('account', 'erase', account, '--reason', 'asked', '--yes')
  await run('evidence', 'export', account, '-o', fresh, '--since', checkpoint)
  const key = await run('evidence', 'public-key')

  const before = readFileSync(old, 'utf8').split('\n')
  const after = readFileSync(fresh, 'utf8').split('\n')
  expect(after.slice(1, before.length - 1)).toEqual(before.slice(1, -1))
  expect(after.length).toBeGreaterThan(before.length)
  expect([...before, ...after].join('')).not.toContain('Ada')
  for (const file of [old, fresh]) {
    expect(await run('verify-evidence', file, '--key', key)).toMatch(/^ok: /)
    for (const { name, verify } of foreign) {
      expect(await verify(file, key), name).toMatchObject({ verdict: { verdict: 'ok' }, code: 0 })
    }
  }
  // Who has kept the checkpoint of before sees that the log went on from it.
  const given = ['verify-evidence', fresh, '--key', key, '--checkpoint', checkpoint]
  expect(await run(...given)).toMatch(/^ok: /)
  for (const { name, verify } of foreign) {
    expect((await verify(fresh, key, checkpoint)).code, name).toBe(0)
  }
})
