/** A texts.db from before an erasure is put back: the log says that its texts are erased. */

import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@svc/testing/eventually'
import { svc } from '@svc/testing/run-svc'
import { startRunningServer } from '@svc/testing/running-server'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { verified } from '@svc/testing/verified'
import { withoutModel } from '@svc/testing/without-model'
import { expect, test } from 'vitest'
import { expectErased, filesWithMarker, openPersonalAccount } from '../eventstore/erasure.ts'

test('texts that came back with an older file are erased again by the start', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const environment = await withoutModel()
  const first = await startRunningServer(environment, dataDir)
  const account = await openPersonalAccount(first.operations)
  await first.process.stop()
  const older = join(dataDir, '..', 'texts.db')
  cpSync(join(dataDir, 'texts.db'), older)

  const second = await startRunningServer(environment, dataDir)
  for (const subject of [...account.subjects, account.accountId]) {
    const words = subject === account.accountId ? ['account', 'erase'] : ['erase']
    const given = [...words, subject, '--reason', 'asked', '--yes', '--data-dir', dataDir]
    expect(await svc(given)).toMatchObject({ code: 0 })
  }
  expect(filesWithMarker(dataDir)).toEqual([])
  await second.process.stop()
  cpSync(older, join(dataDir, 'texts.db'))
  for (const end of ['-wal', '-shm']) rmSync(join(dataDir, `texts.db${end}`), { force: true })
  expect(filesWithMarker(dataDir)).toEqual(['texts.db'])

  const third = await startRunningServer(environment, dataDir)
  await eventually(() => expect(filesWithMarker(dataDir)).toEqual([]))
  await expectErased(third.operations, account)
  expect((await verified(third.operations)).texts).toMatchObject({ unfinished: [], altered: [] })
  await third.process.stop()
})
