/** What the status says of holds that nobody ends, by the clock of the operations. */
import { rootCaller } from '@svc/contracts/admin/caller'
import { AccountHistory, requestId, START_MS } from '@svc/testing/account-history'
import { openRunningService } from '@svc/testing/running-service'
import { expect, test } from 'vitest'

const MINUTE_MS = 60_000

test('holds a minute behind their deadline are told of, and younger ones are not: UX-11', async () => {
  let nowMs = START_MS
  const service = await openRunningService({ clock: { nowMs: () => nowMs } })
  const operations = service.operationsOf(rootCaller)
  const history = new AccountHistory('busy').open()
  for (const name of ['first', 'second']) {
    const at = START_MS + (name === 'first' ? 0 : MINUTE_MS)
    history.accept(requestId(at, history.accountId, name), at)
  }
  await history.writeTo(service.store)
  const { holds } = await operations.listHolds({ limit: 10 })
  const deadlines = holds.map(({ deadline }) => Date.parse(deadline))
  const [first = 0, second = 0] = deadlines
  expect(second - first).toBe(MINUTE_MS)
  const overdue = async () => (await operations.status()).overdue_holds
  nowMs = first + MINUTE_MS
  expect(await overdue()).toEqual({ count: 0, since: null })
  nowMs += 1
  const since = new Date(first).toISOString()
  expect(await overdue()).toEqual({ count: 1, since })
  nowMs = second + MINUTE_MS + 1
  expect(await overdue()).toEqual({ count: 2, since })
})
