import { spawnSync } from 'node:child_process'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, test } from 'vitest'
import { makeFolder } from './made-folder.ts'

const module = JSON.stringify(import.meta.resolve('./made-folder.ts'))

test('is made with those above it, for its owner alone; one that is there stays', () => {
  const place = temporaryFolder()
  makeFolder(join(place, 'a', 'b'))
  expect(statSync(join(place, 'a', 'b')).mode & 0o077).toBe(0)
  mkdirSync(join(place, 'open'), { mode: 0o755 })
  makeFolder(join(place, 'open'))
  writeFileSync(join(place, 'file'), '')
  expect(() => makeFolder(join(place, 'file', 'a'))).toThrow('the system does not let ')
})

test.skipIf(process.platform !== 'linux').each(['/proc/svc', '/proc/a/b', '/sys/svc'])(
  'is refused at once where the kernel keeps no files: %s',
  (path) => {
    const script = `const { makeFolder } = await import(${module}); makeFolder('${path}')`
    const ran = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 20_000,
    })
    expect(ran.stderr).toContain('the system does not let /')
  },
)
