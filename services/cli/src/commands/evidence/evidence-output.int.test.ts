/** An evidence file that cannot be written ends in one line, its own exit code, and no file. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { TinyDisk } from '@svc/testing/tiny-disk'
import { expect, test } from 'vitest'
import { EXIT_OUTPUT } from '../../context/exit-codes.ts'

/** Room for the head of the file, and for a part of its events. */
const LEFT_BYTES = 4_096

async function exportedTo(file: string) {
  const { path, account } = await folderWithHistory()
  return svc(['--data-dir', path, 'evidence', 'export', account.accountId, '-o', file])
}

test('a disk that is full before the end leaves no file', async ({ skip }) => {
  const disk = TinyDisk.mount(1)
  if (disk === undefined) return skip('a file system can only be mounted by root on Linux')
  disk.fill(LEFT_BYTES)
  const file = join(disk.folder, 'evidence.jsonl')
  const { code, err } = await exportedTo(file)
  expect([code, err]).toEqual([EXIT_OUTPUT, expect.stringContaining(`${file} cannot be written`)])
  expect(err).not.toContain('written to')
  expect(readdirSync(disk.folder)).toEqual(['filler'])
})

test('a folder that is not there is named', async () => {
  const file = join(temporaryFolder(), 'none', 'evidence.jsonl')
  const { code, err } = await exportedTo(file)
  expect([code, err]).toEqual([EXIT_OUTPUT, expect.stringContaining(`${file} cannot be written`)])
})
