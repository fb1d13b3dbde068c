/** Commands that ask first: whoever opens the folder of a stopped server holds it. */
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { expect, test } from 'vitest'

test.each([
  ['account close', ['--reason', 'x', '--remainder', 'paid_out']],
  ['account erase', ['--reason', 'x']],
])('%s leaves the folder to others while it asks', async (command, options) => {
  const { path, account } = await folderWithHistory()
  const at = ['--data-dir', path]
  let meanwhile: number | undefined
  const answer = async () => {
    meanwhile = (await svc([...at, 'account', 'rename', account.accountId, 'N', '--reason', 'x']))
      .code
    return false
  }
  const declined = await svc([...at, ...command.split(' '), account.accountId, ...options], {
    answer,
  })
  expect([meanwhile, declined.code]).toEqual([0, 2])
  expect(declined.err.match(/opened it directly/g)).toHaveLength(1)
  expect(declined.err).toContain('nothing was changed')
})

test('a price that looks like a slip is asked about with the folder left to others', async () => {
  const { path, account } = await folderWithHistory()
  const at = ['--data-dir', path]
  let meanwhile: number | undefined
  const answer = async () => {
    meanwhile = (await svc([...at, 'account', 'rename', account.accountId, 'N', '--reason', 'x']))
      .code
    return true
  }
  const free = ['price', 'publish', '--input', '0', '--cached-input', '0', '--output', '0']
  const published = await svc([...at, ...free], { answer })
  expect([meanwhile, published.code]).toEqual([0, 0])
  expect(published.err.match(/opened it directly/g)).toHaveLength(1)
  expect(published.out).toMatch(/^price_/)
})
