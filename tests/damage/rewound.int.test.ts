/** An older copy under a running gateway, seen by its callers, and the right one put back. */

import {
  askInEachFormat,
  balanceOf,
  booksOf,
  type Customer,
  DamagedService,
  openCustomers,
  pay,
} from '@svc/testing/damaged-service'
import { expect, test } from 'vitest'

const TEST_MS_MAX = 120_000
/** Each look asks a whole server. */
const SELDOM = { interval: 250 }

test(
  'every request is refused as store_rewound, and goes on with the right one as if nothing had been',
  async () => {
    const folder = await DamagedService.open('eventstoredb')
    const { double } = folder
    if (double === undefined) throw new Error('no double runs')
    const service = await folder.start()
    const { accountId = '', apiKey: key = '', baseUrl } = service.server.ready
    const customer: Customer = { accountId, key }
    const customers = [customer, ...(await openCustomers(service, 2))]
    await pay(service, customer)
    const copied = double.observed.eventsCommitted
    await Promise.all(customers.map((each) => pay(service, each)))
    const [balance, books] = [
      await balanceOf(service, key),
      await booksOf(service.operations, customers),
    ]

    await double.kill()
    const putBack = double.restoreCopy(copied)
    await double.restart()
    const older = double.observed.eventsCommitted
    const codes = async () => (await askInEachFormat(service, key)).map(({ status }) => status)
    await expect.poll(codes, SELDOM).toEqual([503, 503, 503])
    const rewound = async () =>
      (await askInEachFormat(service, key)).map(({ code, error }) => code ?? error?.type)
    await expect.poll(rewound, SELDOM).toEqual(['store_rewound', 'store_rewound', 'api_error'])
    const asOperator = service.operations.showAccount({ account_id: accountId })
    const advice = /hold what it held before\..* Put the right one back.*run-on-eventstoredb/
    await expect(asOperator).rejects.toMatchObject({
      code: 'store_rewound',
      message: expect.stringMatching(advice),
    })
    expect((await fetch(`${baseUrl}/readyz`)).status).toBe(503)
    expect((await fetch(`${baseUrl}/livez`)).status).toBe(200)
    expect(double.observed.eventsCommitted).toBe(older)

    await double.kill()
    putBack()
    await double.restart()
    await expect.poll(codes, SELDOM).toEqual([200, 200, 200])
    await expect.poll(async () => (await fetch(`${baseUrl}/readyz`)).status, SELDOM).toBe(200)
    const [, ...untouched] = customers
    const [, ...statements] = books.statements
    const again = await booksOf(service.operations, untouched)
    expect(again.statements).toEqual(statements)
    const after = (await balanceOf(service, key)) as { settled: string }
    expect(Number(after.settled)).toBeLessThan(Number((balance as typeof after).settled))
    expect(await service.operations.listQuarantine()).toEqual([])
  },
  TEST_MS_MAX,
)
