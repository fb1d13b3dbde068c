/** What the operator sees of credit that ends one day. */
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { expect, test } from 'vitest'

test('svc account show sums the credit that expires, and tells what ends next', async () => {
  const { path, account } = await folderWithHistory()
  const run = (...args: string[]) => svc(['--data-dir', path, ...args])
  const expiring = async () => /^expiring +(.*)$/m.exec((await run('account', 'show')).out)?.[1]
  const grant = async (amount: string, expires: string) => {
    const words = ['account', 'grant', account.accountId, amount, '--reason', 'gift']
    const { code, err } = await run(...words, '--expires', expires)
    expect(code, err).toBe(0)
  }
  expect(await expiring()).toBe('none')
  await grant('2.50', '2998-01-01')
  expect(await expiring()).toBe('2.50 USD at 2998-01-01T00:00:00.000Z')
  await grant('1.25', '2997-01-01')
  await grant('0.25', '2997-01-01')
  expect(await expiring()).toBe('4.00 USD, the next 1.50 USD at 2997-01-01T00:00:00.000Z')
})
