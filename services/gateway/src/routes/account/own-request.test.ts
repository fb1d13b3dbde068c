import type { RequestRow } from '@svc/projections/views'
import { expect, test } from 'vitest'
import { ownRequest } from './own-request.ts'

const ID = `req_${'0'.repeat(26)}`
const HEAD = 7n

/** Views of a gateway that has done nothing for the account, and is behind what another one did. */
function behindAnother(accountId: string | undefined, getsThere: boolean) {
  let reached = 0n
  const row = { requestId: ID, accountId } as RequestRow
  return {
    ledger: { lastPosition: () => undefined },
    log: { lastPosition: async () => HEAD },
    views: {
      request: async () => (accountId !== undefined && reached === HEAD ? row : undefined),
    },
    viewsReached: async (position: bigint) => {
      if (position === HEAD && !getsThere) return false
      reached = position
      return true
    },
  }
}

test('a request that another gateway has just accepted is waited for', async () => {
  expect(await ownRequest(behindAnother('acct_1', true), 'acct_1', ID)).toMatchObject({
    requestId: ID,
  })
})

test.each(['acct_1', 'acct_2'])(
  'while the view lacks it, whoever asks is told to come again: of %s',
  async (accountId) => {
    const asked = ownRequest(behindAnother(accountId, false), 'acct_1', ID)
    await expect(asked).rejects.toMatchObject({ code: 'view_behind', retryAfterSeconds: 1 })
  },
)

test.each(['acct_2', undefined])('a request of %s is not there', async (accountId) => {
  const asked = ownRequest(behindAnother(accountId, true), 'acct_1', ID)
  await expect(asked).rejects.toMatchObject({ code: 'not_found' })
})
