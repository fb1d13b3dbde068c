/** `svc migrate` while a server holds the data folder. */
import { DataFolder } from '@svc/server/data-folder/data-folder'
import { openDataFolder } from '@svc/server/open-data-folder'
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { expect, onTestFinished, test } from 'vitest'

const EXIT_CONFLICT = 5

test('a move beside a running server names that server', async () => {
  const { path } = await folderWithHistory()
  const opened = await openDataFolder(path)
  onTestFinished(opened.close)
  const server = { pid: 4_711, baseUrl: 'http://127.0.0.1:8080', startedAt: '2026-11-01T00:00:00Z' }
  new DataFolder(path).writeServer(server)
  const environment = { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' }
  const ran = await svc(['--data-dir', path, 'migrate', '--to', 'eventstoredb'], { environment })
  expect([ran.code, ran.err]).toEqual([
    EXIT_CONFLICT,
    `svc: a server, or another command, is at work in ${path} ` +
      '(process 4711, at http://127.0.0.1:8080): stop it first\n',
  ])
})
