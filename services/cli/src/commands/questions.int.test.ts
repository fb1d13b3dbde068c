/** Commands that ask first: whoever opens the folder of a stopped server holds it. */
import { folderWithHistory } from '@svc/testing/data-folders'
import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { svc } from '@svc/testing/run-svc'
import { until } from '@svc/testing/until'
import { expect, onTestFinished, test } from 'vitest'

/** Somebody at a terminal, and another command on the same folder before the answer. */
function renaming(path: string, accountId: string, yes: boolean) {
  const rename = ['--data-dir', path, 'account', 'rename', accountId, 'N', '--reason', 'x']
  const asked = {
    /** The exit code of the other command. */
    meanwhile: undefined as number | undefined,
    async answer() {
      asked.meanwhile = (await svc(rename)).code
      return yes
    },
  }
  return asked
}

test.each([
  ['account close', ['--reason', 'x', '--remainder', 'paid_out']],
  ['account erase', ['--reason', 'x']],
])('%s leaves the folder to others while it asks', async (command, options) => {
  const { path, account } = await folderWithHistory()
  const at = ['--data-dir', path]
  const asked = renaming(path, account.accountId, false)
  const declined = await svc([...at, ...command.split(' '), account.accountId, ...options], asked)
  expect([asked.meanwhile, declined.code]).toEqual([0, 2])
  expect(declined.err.match(/opened it directly/g)).toHaveLength(1)
  expect(declined.err).toContain('nothing was changed')
})

test('a price that looks like a slip is asked about with the folder left to others', async () => {
  const { path, account } = await folderWithHistory()
  const at = ['--data-dir', path]
  const asked = renaming(path, account.accountId, true)
  const free = ['price', 'publish', '--input', '0', '--cached-input', '0', '--output', '0']
  const published = await svc([...at, ...free], asked)
  expect([asked.meanwhile, published.code]).toEqual([0, 0])
  expect(published.err.match(/opened it directly/g)).toHaveLength(1)
  expect(published.out).toMatch(/^price_/)
})

test('no connection to the EventStoreDB is open while store repair-metadata asks', async () => {
  const double = await EventStoreDbDouble.start()
  onTestFinished(() => double.close())
  const stream = 'svc.account-x'
  double.writeForeignEvents(stream, 2)
  double.setStreamMetadata(stream, { $maxCount: 1 })
  let open: number | undefined
  const answer = async () => {
    // The double hears of the end a moment later.
    await until(() => double.observed.connections === 0).catch(() => {})
    open = double.observed.connections
    return true
  }
  const environment = { EVENTSTORE_URL: double.url }
  const repaired = await svc(['store', 'repair-metadata', stream], { environment, answer })
  expect([open, repaired.code, repaired.err]).toEqual([0, 0, ''])
})
