/** Files and pipes that hold keys and notes. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, test } from 'vitest'
import { readKeyOption, readNoteFile } from './evidence-input.ts'

const KEY = 'svc/log+0123abcd+AAAA'

test.skipIf(process.platform === 'win32')('a key comes whole out of a slow pipe', async () => {
  const pipe = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [pipe], { timeout: 10_000 })
  const reading = readKeyOption('--key', pipe)
  const writer = await open(pipe, 'w')
  await writer.write(KEY.slice(0, 5))
  await new Promise((later) => setTimeout(later, 50))
  await writer.write(`${KEY.slice(5)}\n`)
  await writer.close()
  expect(await reading).toBe(KEY)
})

test('a file that is too large for a note is refused, and not cut', async () => {
  const file = join(temporaryFolder(), 'note')
  writeFileSync(file, 'x'.repeat(256 * 1024))
  expect(await readNoteFile(file)).toHaveLength(256 * 1024)
  writeFileSync(file, 'x'.repeat(256 * 1024 + 1))
  await expect(readNoteFile(file)).rejects.toThrow('is too large for a note')
})
