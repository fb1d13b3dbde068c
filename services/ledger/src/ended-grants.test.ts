import { sampleId } from '@svc/testing/ledger/sample'
import { describe, expect, test } from 'vitest'
import { type EndedGrant, EndedGrants, type EndedGrantsQuery } from './ended-grants.ts'

const LOOKED_AT_PER_PAGE = 5_000

interface Listed extends EndedGrant {
  remaining: bigint
}

function listed(index: number, expiresAt: number, remaining = 1n): Listed {
  const accountId = sampleId('acct', index)
  return { accountId, grantId: sampleId('grant', index), expiresAt, remaining }
}

/** As the view has them: by their end, and a page ends early where much was looked at. */
function findIn(grants: readonly Listed[], queries: EndedGrantsQuery[] = []) {
  const placeOf = ({ expiresAt, grantId }: Pick<EndedGrant, 'expiresAt' | 'grantId'>) =>
    `${expiresAt}`.padStart(16, '0') + grantId
  return (query: EndedGrantsQuery) => {
    queries.push(query)
    const after = query.after === undefined ? '' : placeOf(query.after)
    const ended = grants
      .filter((grant) => (grant.expiresAt ?? 0) < query.endsBefore && placeOf(grant) > after)
      .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
    const looked = ended.slice(0, LOOKED_AT_PER_PAGE)
    const rows = looked.filter(({ remaining }) => remaining > 0n).slice(0, query.limit)
    if (rows.length === query.limit) return { rows, next: rows.at(-1) }
    return { rows, next: looked.length === LOOKED_AT_PER_PAGE ? looked.at(-1) : undefined }
  }
}

describe('a look at ended grants', () => {
  test('finds what has ended, at its very moment and not before, each account once', async () => {
    const grants = [listed(1, 10), listed(2, 20), { ...listed(3, 10), accountId: '' }]
    const queries: EndedGrantsQuery[] = []
    const ended = new EndedGrants(findIn(grants, queries))
    expect(await ended.look(9)).toEqual([])
    expect(queries).toHaveLength(2)
    expect(await ended.look(10)).toEqual([sampleId('acct', 1), ''])
    expect(await ended.look(20)).toEqual([sampleId('acct', 1), '', sampleId('acct', 2)])
  })

  test('finds at once what has just ended behind very many that are spent', async () => {
    const spent = Array.from({ length: 30_000 }, (_, index) => listed(index, index, 0n))
    const grants = [...spent, listed(50_000, 40_000)]
    const ended = new EndedGrants(findIn(grants))
    expect(await ended.look(30_000)).toEqual([])
    expect(await ended.look(40_000)).toEqual([sampleId('acct', 50_000)])
    const first = new EndedGrants(findIn([listed(60_000, 0), ...grants]))
    expect(await first.look(40_000)).toEqual([sampleId('acct', 60_000), sampleId('acct', 50_000)])
  })

  test('finds on its round what came back to an old grant, and what was shown late', async () => {
    const grants = Array.from({ length: 12_000 }, (_, index) => listed(index, index, 0n))
    const ended = new EndedGrants(findIn(grants))
    await ended.look(20_000)
    ;(grants[11_000] as Listed).remaining = 1n
    grants.push(listed(60_000, 100))
    const found: string[] = []
    for (let look = 0; look < 3; look += 1) found.push(...(await ended.look(20_000)))
    expect(found.toSorted()).toEqual([sampleId('acct', 11_000), sampleId('acct', 60_000)])
  })

  test('is bounded: many that end at once are found by several looks', async () => {
    const queries: EndedGrantsQuery[] = []
    const grants = Array.from({ length: 5_000 }, (_, index) => listed(index, 10))
    const ended = new EndedGrants(findIn(grants, queries))
    const found = new Set<string>()
    for (let look = 0; look < 5; look += 1) {
      const accountIds = await ended.look(10)
      expect(accountIds.length).toBeLessThanOrEqual(2_000)
      for (const accountId of accountIds) found.add(accountId)
    }
    expect(found.size).toBe(5_000)
    expect(queries.length).toBeLessThan(20)
  })

  test('is bounded: a view without an end is read on by the next look', async () => {
    const queries: EndedGrantsQuery[] = []
    const ended = new EndedGrants((query) => {
      queries.push(query)
      return { rows: [], next: { expiresAt: (query.after?.expiresAt ?? 0) + 1, grantId: '' } }
    })
    await ended.look(1_000)
    await ended.look(1_000)
    expect(queries).toHaveLength(2 * (1 + 20))
    expect(queries.at(-1)?.after).toMatchObject({ expiresAt: 2 * 20 - 1 })
  })
})
