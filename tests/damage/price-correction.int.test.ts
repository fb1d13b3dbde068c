/** A price is set right for every account that can be read, and a damaged one is named. */
import type { CorrectedAccount, CorrectionResult } from '@svc/contracts/admin/corrections'
import { accountStream } from '@svc/contracts/events/account'
import { DamagedService, openCustomers, pay, type Service } from '@svc/testing/damaged-service'
import { expect, test } from 'vitest'
import { fileKinds } from './damage-kinds.ts'

const TEST_MS_MAX = 120_000

function correction({ operations }: Service) {
  return async (version: string, to: string, dryRun = false) => {
    const accounts: CorrectedAccount[] = []
    let result: CorrectionResult | undefined
    const terms = { reason: 'it was to be free', idempotency_key: 'free', dry_run: dryRun }
    const free = { input: '0', cached_input: '0', output: '0' }
    for await (const line of operations.correctPrice({ version, ...free, to, ...terms })) {
      if (line.type === 'account') accounts.push(line)
      if (line.type === 'result') result = line
    }
    return { accounts, result }
  }
}

test.each(Object.entries(fileKinds))(
  '%s in one account keeps no other from being corrected',
  async (_name, { damage }) => {
    const folder = await DamagedService.open('sqlite')
    const service = await folder.start()
    const customers = await openCustomers(service, 3)
    for (const customer of customers) await pay(service, customer)
    const [damaged, ...others] = customers.map(({ accountId }) => accountId) as [string, string]
    const [wrong] = await service.operations.listPrices({})
    const version = wrong?.version ?? ''
    await service.stop()
    const to = new Date().toISOString()
    damage(folder, accountStream(damaged), accountStream(others[0]))

    const correct = correction(await folder.start())
    const expected = [
      { account_id: damaged, amount: '0.00', problem: expect.stringContaining('damaged') },
      ...others.map((account_id) => ({ account_id, requests: 1, problem: null })),
    ]
    const tried = await correct(version, to, true)
    expect(tried.accounts).toMatchObject(expected)
    const done = await correct(version, to)
    expect(done.accounts).toMatchObject(expected)
    expect(done.result).toMatchObject({ created: 2, problems: 1 })
  },
  TEST_MS_MAX,
)
