/** Damage that nobody was looking for: whoever asks for a request meets it, and it is noted. */
import { accountStream } from '@svc/contracts/events/account'
import { alterFile } from '@svc/infra/event-store/compliance/alter-file'
import { type Customer, DamagedService, openCustomers, pay } from '@svc/testing/damaged-service'
import { expect, test } from 'vitest'

const TEST_MS_MAX = 60_000

/** The first debit of the account, which every view has seen before it is altered. */
const DEBIT = `stream_id = :stream AND type = 'CreditDebited'`
const kinds = {
  'was altered': `UPDATE event SET data = replace(data, '"amount":"', '"amount":"9') WHERE ${DEBIT}`,
  'cannot be read': `UPDATE event SET data = 'garbage' WHERE ${DEBIT}`,
}

test.each(Object.entries(kinds))(
  'an event that %s is told of to operators as soon as a list of requests meets it',
  async (_, damage) => {
    const folder = await DamagedService.open('sqlite')
    const before = await folder.start()
    const [customer, other] = (await openCustomers(before, 2)) as [Customer, Customer]
    await pay(before, customer)
    await pay(before, other)
    await before.stop()
    const stream = accountStream(customer.accountId)
    alterFile(folder.ledgerFile, damage, { stream })

    const { operations } = await folder.start()
    const asked = { account_id: customer.accountId, limit: 10 } as const
    await expect(operations.accountRequests(asked)).rejects.toMatchObject({
      code: 'account_damaged',
      message: expect.stringMatching(/Run "svc verify".* docs\/how-to\/mend-a-damaged-stream/),
    })
    expect(await operations.listQuarantine()).toMatchObject([{ stream }])
    expect((await operations.status()).store.problems).toEqual([expect.stringContaining(stream)])
    const accounts = await operations.listAccounts({ status: 'damaged', limit: 10 })
    expect(accounts.map(({ account_id: id }) => id)).toEqual([customer.accountId])
    await expect(
      operations.accountRequests({ ...asked, account_id: other.accountId }),
    ).resolves.toMatchObject({ has_more: false })
  },
  TEST_MS_MAX,
)
