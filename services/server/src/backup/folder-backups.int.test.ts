/** Backups of a data folder: whole or not there, one at a time. */
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@svc/infra/system/system-clock'
import { folderWithHistory } from '@svc/testing/data-folders'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { TinyDisk } from '@svc/testing/tiny-disk'
import { verified } from '@svc/testing/verified'
import { expect, onTestFinished, test } from 'vitest'
import { DataFolder } from '../data-folder/data-folder.ts'
import { type OpenedFolder, openDataFolder } from '../open-data-folder.ts'
import { FolderBackups } from './folder-backups.ts'

const never = new AbortController().signal
const quiet = () => {}
const PARTIAL_OF_ANOTHER_RUN = '2026-11-27T18-45-03.123Z.partial'

/** Backups of a folder with a short history, and where they are written. */
async function backupsOfFolder(into?: string) {
  const { path, account } = await folderWithHistory()
  const folder = new DataFolder(path)
  const opened = await openDataFolder(path, { backupDir: into })
  onTestFinished(() => opened.close())
  const backups = new FolderBackups({ folder, into, clock: systemClock })
  return { account, backups, written: into ?? folder.backupsFolder, opened }
}

test('a backup is a data folder with the same books, for its owner only', async () => {
  const { account, backups, written, opened } = await backupsOfFolder()
  const told: number[] = []
  const backup = await backups.write(({ done, total }) => told.push(done / total), never)
  expect(told.at(-1)).toBe(1)
  expect(backup.position).toBe(await lastPosition(opened))
  expect(backup.folder.startsWith(written)).toBe(true)
  expect(readdirSync(written)).toEqual([backup.folder.slice(written.length + 1)])
  expect(readdirSync(backup.folder).sort()).toEqual([
    'evidence-key.json',
    'ledger.db',
    'refusals.db',
    'secrets.json',
    'texts.db',
    'users.db',
  ])
  expect(statSync(backup.folder).mode & 0o777).toBe(0o700)
  for (const file of readdirSync(backup.folder)) {
    expect(statSync(join(backup.folder, file)).mode & 0o777).toBe(0o600)
  }
  const restored = await openDataFolder(backup.folder)
  onTestFinished(() => restored.close())
  const now = await opened.operations.showAccount({ account_id: account.accountId })
  const then = await restored.operations.showAccount({ account_id: account.accountId })
  expect(then).toEqual(now)
  expect((await verified(restored.operations)).events).toBe(Number(backup.position) + 1)
})

async function lastPosition({ operations }: OpenedFolder): Promise<bigint> {
  const { head } = (await operations.listProjections())[0] ?? {}
  return BigInt(head ?? '')
}

test('one is written at a time', async () => {
  const { backups, written } = await backupsOfFolder()
  const first = backups.write(quiet, never)
  await expect(backups.write(quiet, never)).rejects.toMatchObject({ code: 'conflict' })
  await first
  await backups.write(quiet, never)
  expect(readdirSync(written)).toHaveLength(2)
})

test('of one that is given up nothing is left, nor of one that a kill has cut off', async () => {
  const { backups, written } = await backupsOfFolder()
  mkdirSync(join(written, PARTIAL_OF_ANOTHER_RUN), { recursive: true })
  writeFileSync(join(written, 'mine.partial'), 'kept')
  const given = backups.write(() => {
    void backups.stop()
  }, never)
  await expect(given).rejects.toMatchObject({ code: 'shutting_down' })
  expect(readdirSync(written)).toEqual(['mine.partial'])
  await backups.stop()
  await backups.write(quiet, never)
})

test('a disk without room for it is refused before anything is written', async ({ skip }) => {
  const disk = TinyDisk.mount(8)
  if (disk === undefined) return skip('a file system can only be mounted by root on Linux')
  const into = join(disk.folder, 'backups')
  const { backups } = await backupsOfFolder(into)
  const refused = backups.write(quiet, never)
  await expect(refused).rejects.toMatchObject({ code: 'backup_failed' })
  await expect(refused).rejects.toThrow(/^A backup needs \d+ MiB in .*, and [78] are free\.$/)
  expect(readdirSync(into)).toEqual([])
})

test('a place that cannot be written is named', async () => {
  const file = join(temporaryFolder(), 'a-file')
  writeFileSync(file, '')
  const { backups } = await backupsOfFolder(join(file, 'backups'))
  const refused = backups.write(quiet, never)
  await expect(refused).rejects.toMatchObject({ code: 'backup_failed' })
  await expect(refused).rejects.toThrow(`The backup in ${file}`)
  expect(existsSync(join(file, 'backups'))).toBe(false)
})
