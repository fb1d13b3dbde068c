/** Backups of a data folder: whole or not there, one at a time. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
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
const PARTIAL_OF_ANOTHER_SERVER = '2026-11-27T18-45-03.123Z.0123abcd.partial'

/** Backups of a folder with a short history, and where they are written. */
async function backupsOfFolder(into?: string) {
  const { path, account } = await folderWithHistory()
  const folder = new DataFolder(path)
  const opened = await openDataFolder(path, { backupDir: into })
  onTestFinished(() => opened.close())
  const backups = new FolderBackups({ folder, into, clock: systemClock })
  return { account, backups, folder, written: into ?? folder.backupsFolder, opened }
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
    'backup.json',
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

test('the last that was written is told, wherever it went, and no copy says it of itself', async () => {
  const { backups, folder } = await backupsOfFolder()
  expect(backups.last()).toBeUndefined()
  const clock = { ...systemClock, nowMs: () => Date.UTC(2026, 10, 27) }
  const timed = new FolderBackups({ folder, into: undefined, clock })
  const { folder: copy } = await timed.write(quiet, never)
  const last = { folder: copy, writtenAt: '2026-11-27T00:00:00.000Z' }
  expect(backups.last()).toEqual(last)
  // One that fails leaves what is known of the one before.
  await expect(timed.write(quiet, never)).rejects.toMatchObject({ code: 'backup_failed' })
  expect(new DataFolder(copy).readLastBackup()).toBeUndefined()
  renameSync(copy, join(temporaryFolder(), 'elsewhere'))
  expect(backups.last()).toEqual(last)
  writeFileSync(join(folder.path, 'last-backup.json'), '{')
  expect(() => backups.last()).toThrow(expect.objectContaining({ code: 'backup_failed' }))
})

test('one is written at a time', async () => {
  const { backups, written } = await backupsOfFolder()
  const first = backups.write(quiet, never)
  await expect(backups.write(quiet, never)).rejects.toMatchObject({ code: 'conflict' })
  await first
  await backups.write(quiet, never)
  expect(readdirSync(written)).toHaveLength(2)
})

test('nothing is left of one that is given up, and others are left alone', async () => {
  const { backups, written } = await backupsOfFolder()
  const others = [PARTIAL_OF_ANOTHER_SERVER, 'mine.partial']
  for (const other of others) mkdirSync(join(written, other), { recursive: true })
  const given = backups.write(() => {
    void backups.stop()
  }, never)
  await expect(given).rejects.toMatchObject({ code: 'shutting_down' })
  expect(readdirSync(written)).toEqual(others)
  await backups.stop()
  await backups.write(quiet, never)
})

test('one that a kill has cut off is removed by the next', async () => {
  const { backups, folder, written } = await backupsOfFolder()
  const partials = () => readdirSync(written).filter((name) => name.endsWith('.partial'))
  let cutOff = ''
  await backups.write(() => {
    cutOff ||= partials()[0] ?? ''
  }, never)
  mkdirSync(join(written, cutOff))
  await new FolderBackups({ folder, into: undefined, clock: systemClock }).write(quiet, never)
  expect(cutOff).toContain('.partial')
  expect(partials()).toEqual([])
})

test('the path of a backup is whole, however the place is named', async () => {
  const place = join(temporaryFolder(), 'backups')
  const { backups } = await backupsOfFolder(relative(process.cwd(), place))
  expect(dirname((await backups.write(quiet, never)).folder)).toBe(place)
})

test.each(['.', 'views', 'views/backups', 'elsewhere'])(
  'none is written to %s of the data folder',
  async (place) => {
    const { folder } = await backupsOfFolder()
    mkdirSync(folder.viewsFolder, { recursive: true })
    const link = join(temporaryFolder(), 'link')
    symlinkSync(folder.path, link)
    for (const path of [folder.path, link]) {
      const into = join(path, place)
      const refused = new FolderBackups({ folder, into, clock: systemClock }).write(quiet, never)
      await expect(refused).rejects.toMatchObject({ code: 'backup_failed' })
      await expect(refused).rejects.toThrow(`${into} is in the data folder: name a folder`)
    }
  },
)

test('one cannot take the name of another', async () => {
  const { folder, written } = await backupsOfFolder()
  const clock = { ...systemClock, nowMs: () => 0 }
  const backups = new FolderBackups({ folder, into: undefined, clock })
  await backups.write(quiet, never)
  await expect(backups.write(quiet, never)).rejects.toMatchObject({ code: 'backup_failed' })
  expect(readdirSync(written)).toEqual(['1970-01-01T00-00-00.000Z'])
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

test('a disk that fills up meanwhile fails the backup, and nothing of it stays', async ({
  skip,
}) => {
  const disk = TinyDisk.mount(300)
  if (disk === undefined) return skip('a file system can only be mounted by root on Linux')
  const { backups } = await backupsOfFolder(join(disk.folder, 'backups'))
  const full = backups.write(() => disk.fill(0), never)
  await expect(full).rejects.toMatchObject({ code: 'backup_failed' })
  disk.clear()
  expect(readdirSync(join(disk.folder, 'backups'))).toEqual([])
})

test('a place where others write is refused by its setting, and one below nothing is not made', async () => {
  const place = temporaryFolder()
  chmodSync(place, 0o777)
  const open = await backupsOfFolder(place)
  await expect(open.backups.write(quiet, never)).rejects.toThrow('or name another')
  const { backups } = await backupsOfFolder(join(place, 'not-mounted', 'backups'))
  await expect(backups.write(quiet, never)).rejects.toMatchObject({ code: 'backup_failed' })
  expect(readdirSync(place)).toEqual([])
})

test('a place that cannot be written is named', async () => {
  const file = join(temporaryFolder(), 'a-file')
  writeFileSync(file, '')
  const { backups } = await backupsOfFolder(join(file, 'backups'))
  const refused = backups.write(quiet, never)
  await expect(refused).rejects.toMatchObject({ code: 'backup_failed' })
  await expect(refused).rejects.toThrow(`${file} is not a folder: name another`)
  expect(existsSync(join(file, 'backups'))).toBe(false)
})
