/** Rows that are put back under views that had folded the wrong ones without noticing. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { accountStream } from '@svc/contracts/events/account'
import { alterFile } from '@svc/infra/event-store/compliance/alter-file'
import {
  booksOf,
  type Customer,
  DamagedService,
  openCustomers,
  pay,
  rebuildAll,
  type Service,
  verified,
} from '@svc/testing/damaged-service'
import { expect, test } from 'vitest'

const TEST_MS_MAX = 120_000

const LAST = '(SELECT max(revision) FROM event WHERE stream_id = :stream)'
/** Each is folded as it is: no view looks at the chain. */
const wrongs = {
  'an altered amount': {
    damage: `UPDATE event SET data = replace(data, '"amount":"', '"amount":"9')
             WHERE stream_id = :stream AND type = 'CreditGranted'`,
    mend: `UPDATE event SET data = replace(data, '"amount":"9', '"amount":"')
           WHERE stream_id = :stream AND type = 'CreditGranted'`,
  },
  'a forged event behind the true end': {
    damage: `INSERT INTO event
             SELECT (SELECT max(position) + 1 FROM event), :stream, ${LAST} + 1, randomblob(16),
               type, replace(data, 'grant_', 'grant_x'), metadata, randomblob(32) FROM event
             WHERE stream_id = :stream AND type = 'CreditGranted'`,
    mend: `DELETE FROM event WHERE stream_id = :stream AND revision = ${LAST}`,
  },
} as const

async function damagedBooks() {
  const folder = await DamagedService.open('sqlite')
  const service = await folder.start()
  const customers = await openCustomers(service, 2)
  for (const customer of customers) await pay(service, customer)
  const [damaged, other] = customers as [Customer, Customer]
  const stream = accountStream(damaged.accountId)
  const books = await booksOf(service.operations, [damaged])
  await service.stop()
  const alter = (statement: string) => alterFile(folder.ledgerFile, statement, { stream })
  const booksNow = ({ operations }: Service) => booksOf(operations, [damaged])
  return { folder, stream, damaged, other, books, booksNow, alter }
}

/** As docs/how-to/mend-a-damaged-stream.md says. */
function forgetWhatWasRead(dataDir: string): void {
  const read = readdirSync(dataDir).filter((name) =>
    /^(log-head\.json|snapshots\.db.*)$/.test(name),
  )
  for (const name of read) rmSync(join(dataDir, name))
}

const finders = ['a running server', 'the CLI on the folder'] as const
const cases = finders.flatMap((finder) =>
  Object.entries(wrongs).map(([what, wrong]) => [what, finder, wrong] as const),
)

test.each(cases)(
  'what views had folded of %s goes by itself, when it was found by %s',
  async (_, finder, wrong) => {
    const { folder, stream, damaged, other, books, booksNow, alter } = await damagedBooks()
    alter(wrong.damage)
    const harmed = await folder.start()
    await rebuildAll(harmed.operations)
    expect(await booksNow(harmed)).not.toEqual(books)
    // With an event behind it the log goes on to hold the last one that the views have seen.
    await pay(harmed, other)
    if (finder === 'a running server') await verified(harmed.operations)
    await harmed.stop()
    if (finder !== 'a running server') await folder.withFolder(verified)

    alter(wrong.mend)
    forgetWhatWasRead(folder.dataDir)
    const mended = await folder.start()
    const setAside = async () => (await mended.operations.listQuarantine()).map((one) => one.stream)
    await expect.poll(setAside).toEqual([])
    expect(folder.lines.join('')).toContain(`"stream":"${stream}"`)
    await expect.poll(() => booksNow(mended)).toEqual(books)
    for (const customer of [damaged, other]) await pay(mended, customer)
  },
  TEST_MS_MAX,
)
