import { spawnSync } from 'node:child_process'
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemporaryFolder } from '@svc/testing/temporary-folder'
import { afterAll, expect, it } from 'vitest'
import { findingsIn } from './findings.ts'

const temporary = makeTemporaryFolder()
afterAll(() => temporary.remove())

const said: string[] = []
const open = (name: string, anew = false) =>
  findingsIn({ folder: join(temporary.path, name), anew }, (_level, message) => said.push(message))
const fileIn = (name: string) =>
  join(temporary.path, name, readdirSync(join(temporary.path, name))[0] ?? '')

it('finds what was kept of the same subject, and nothing of another', async () => {
  await open('same').keep({ model: 'a', threads: 1 }, { works: true })
  expect(await open('same').find({ model: 'a', threads: 1 })).toEqual({ works: true })
  expect(await open('same').find({ model: 'a', threads: 2 })).toBeUndefined()
  expect(statSync(fileIn('same')).mode & 0o077).toBe(0)
})

it('finds nothing where it is asked to find out anew, and keeps that', async () => {
  await open('anew').keep({ model: 'a' }, { works: false })
  expect(await open('anew', true).find({ model: 'a' })).toBeUndefined()
  await open('anew', true).keep({ model: 'a' }, { works: true })
  expect(await open('anew').find({ model: 'a' })).toEqual({ works: true })
})

it.each([
  ['damaged', '{"subject":{"model":"a"},"find'],
  ['of another subject', '{"subject":{"model":"b"},"finding":{"works":true}}'],
  ['too large', JSON.stringify({ subject: { model: 'a' }, finding: 'x'.repeat(20_000) })],
])('takes a file that is %s for none', async (what, text) => {
  await open(what).keep({ model: 'a' }, { works: true })
  writeFileSync(fileIn(what), text)
  expect(await open(what).find({ model: 'a' })).toBeUndefined()
})

it('forgets the oldest where there are many', async () => {
  const findings = open('many')
  await findings.keep({ model: 'first' }, {})
  utimesSync(fileIn('many'), 1, 1)
  for (let index = 0; index < 64; index += 1) await findings.keep({ index }, { index })
  expect(await findings.find({ model: 'first' })).toBeUndefined()
  expect(await findings.find({ index: 0 })).toEqual({ index: 0 })
  expect(readdirSync(join(temporary.path, 'many')).length).toBe(64)
})

it('costs nothing but time where nothing can be written', async () => {
  writeFileSync(join(temporary.path, 'file'), '')
  await open('file/folder').keep({ model: 'a' }, {})
  expect(said).toEqual(['cannot remember the self-test, the next start repeats it'])
  expect(await open('file/folder').find({ model: 'a' })).toBeUndefined()
})

it.skipIf(process.platform !== 'linux')('does not hang where the kernel keeps no files', () => {
  const module = JSON.stringify(import.meta.resolve('./findings.ts'))
  const script = `const { findingsIn } = await import(${module})
    const findings = findingsIn({ folder: '/proc/svc/findings' }, (_, message) => console.log(message))
    await findings.keep({}, {})`
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  expect(ran.stdout).toContain('cannot remember the self-test')
})
