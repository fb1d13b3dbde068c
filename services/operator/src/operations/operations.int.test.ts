/** One suite for the operations, on an opened folder and over the admin routes of a server. */

import type { EventPage, LoggedEvent } from '@svc/contracts/admin/events'
import type { Operations } from '@svc/contracts/admin/operations'
import { ServiceError } from '@svc/contracts/errors'
import { accountStream } from '@svc/contracts/events/account'
import { finishedRequest } from '@svc/testing/data-folders'
import { verified } from '@svc/testing/verified'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { collect, localOperations, never, remoteOperations } from '../../testing/operations.ts'

const noAccount = `acct_${'0'.repeat(26)}`

const DAY_MS = 86_400_000

const refusal = (work: Promise<unknown>) => work.catch((error: ServiceError) => error)

describe.each([
  ['local', localOperations],
  ['remote', remoteOperations],
])('%s', (_name, open) => {
  test('accounts are opened, granted credit, given keys, shown', async () => {
    const { operations } = await open()
    const { account_id: accountId } = await operations.openAccount({
      name: 'Grace',
      spend_policy: 'strict',
    })
    const expiresAt = '2999-01-01T00:00:00.000Z'
    const grant = {
      account_id: accountId,
      amount: '0.000000000001',
      category: 'promotional',
      priority: 7,
      expires_at: expiresAt,
      reference: null,
      reason: 'the smallest amount',
    } as const
    const { grant_id: grantId } = await operations.grant(grant)
    const { key_id: keyId } = await operations.createKey({
      account_id: accountId,
      name: 'k',
      expires_at: null,
    })
    expect(await operations.showAccount({ account_id: accountId })).toMatchObject({
      account_id: accountId,
      name: 'Grace',
      settled: '0.000000000001',
      grants: [
        {
          grant_id: grantId,
          amount: '0.000000000001',
          category: 'promotional',
          priority: 7,
          expires_at: expiresAt,
        },
      ],
      keys: [{ key_id: keyId, name: 'k', status: 'active', expires_at: null }],
    })
    await operations.revokeKey({ account_id: accountId, key_id: keyId, reason: 'lost' })
    expect(await operations.listKeys({ account_id: accountId })).toMatchObject([
      { key_id: keyId, status: 'revoked' },
    ])
  })

  test('accounts are listed page by page', async () => {
    const { operations, account } = await open()
    await operations.openAccount({ name: 'Grace', spend_policy: 'standard' })
    const [first] = await operations.listAccounts({ limit: 1 })
    expect(first?.account_id).toBe(account.accountId)
    const rest = await operations.listAccounts({ limit: 10, after: account.accountId })
    expect(rest.map(({ name }) => name)).toEqual(['Grace'])
  })

  test('the same reference is granted once', async () => {
    const { operations, account } = await open()
    const grant = {
      account_id: account.accountId,
      amount: '1',
      category: 'paid',
      priority: 100,
      expires_at: null,
      reference: 'INV-77',
      reason: 'payment',
    } as const
    const granted = await operations.grant(grant)
    const repeated = { ...granted, created: false }
    expect(await operations.grant(grant)).toEqual(repeated)
    expect(await operations.grant({ ...grant, reference: ' INV-77 ' })).toEqual(repeated)
  })

  test('what is written is trimmed', async () => {
    const { operations, account } = await open()
    const { account_id: accountId } = await operations.openAccount({
      name: ' Grace ',
      spend_policy: 'strict',
    })
    expect((await operations.showAccount({ account_id: accountId })).name).toBe('Grace')
    const key = { account_id: account.accountId, name: 'laptop\n', expires_at: null }
    const { key_id: keyId } = await operations.createKey(key)
    const keys = await operations.listKeys({ account_id: account.accountId })
    expect(keys.find((each) => each.key_id === keyId)?.name).toBe('laptop')
  })

  test('a statement comes in pages that fit together', async () => {
    const { operations, account } = await open()
    const { accountId } = account
    const first = await operations.statement({ account_id: accountId, limit: 2 })
    const rest = await operations.statement({ account_id: accountId, limit: 2, after: 2 })
    expect([first.opening, first.closing, first.more]).toEqual(['0.00', '4.9999703', true])
    expect([rest.opening, rest.closing, rest.more]).toEqual(['4.9999703', '4.9999406', false])
  })

  test('figures of a period say whether it is over', async () => {
    const { operations, account } = await open()
    const asked = { account_id: account.accountId, zone: 'UTC' }
    const over = async (to: string) => [
      (await operations.statement({ ...asked, to, limit: 2 })).over,
      (await operations.accountUsage({ ...asked, from: '2020-01-01', to })).over,
      (await operations.accountRequestTotals({ ...asked, to })).over,
    ]
    expect(await over('2021-01-01')).toEqual([true, true, true])
    expect(await over('2999-01-01')).toEqual([false, false, false])
    expect((await operations.statement({ ...asked, limit: 2 })).over).toBe(false)
  })

  test('a request is explained, with arithmetic that adds up', async () => {
    const { operations, account } = await open()
    const receipt = await operations.explain({ request_id: finishedRequest })
    expect(receipt).toMatchObject({
      id: finishedRequest,
      account_id: account.accountId,
      status: 'finished',
      amount: '0.0000297',
      price: { input: '0.15', cached_input: '0.015', output: '0.60' },
    })
    expect(receipt.lines.map(({ amount }) => amount)).toEqual([
      '0.000003',
      '0.0000015',
      '0.0000252',
    ])
    expect(receipt.events).toHaveLength(3)
  })

  test('prices are published and listed', async () => {
    const { operations } = await open()
    const rates = { input: '0.3', cached_input: '0.03', output: '0.000001' }
    const price = await operations.publishPrice({
      model: 'svc-beta',
      ...rates,
      effective_from: null,
      confirm: true,
    })
    expect(price).toMatchObject({ input: '0.30', cached_input: '0.03', output: '0.000001' })
    expect((await operations.listPrices()).map(({ version }) => version)).toContain(price.version)
  })

  test('a price that looks like a mistake is confirmed or refused; a preview says why', async () => {
    const { operations } = await open()
    const rates = { input: '1.5', cached_input: '0.015', output: '0.60' }
    const price = { model: 'svc-beta', ...rates, effective_from: null }
    const before = await operations.listPrices()
    const preview = await operations.previewPrice(price)
    expect(preview).toMatchObject({
      price_list: 'default',
      input: '1.50',
      replaces: { input: '0.15' },
      replaced_by: null,
      doubts: ['input goes from $0.15 to $1.50 per million tokens'],
    })
    for (const confirm of [undefined, false]) {
      const refused = operations.publishPrice(confirm === undefined ? price : { ...price, confirm })
      await expect(refused).rejects.toMatchObject({
        code: 'confirmation_required',
        message: expect.stringContaining(preview.doubts[0] ?? ''),
      })
    }
    expect(await operations.listPrices()).toEqual(before)
    const free = { ...price, input: '0', cached_input: '0', output: '0', confirm: true }
    expect(await operations.publishPrice(free)).toMatchObject({ input: '0.00', output: '0.00' })
  })

  test('an account is put on a list of its own, whose announced price is withdrawn', async () => {
    const { operations, account } = await open()
    const account_id = account.accountId
    const list = { account_id, price_list: 'acme' }
    await expect(operations.setPriceList(list)).rejects.toMatchObject({ code: 'invalid_value' })
    const own = {
      model: 'svc-beta',
      price_list: 'acme',
      input: '0.1',
      cached_input: '0.01',
      output: '0.5',
    }
    await operations.publishPrice({ ...own, effective_from: null })
    expect(await operations.setPriceList(list)).toEqual({ ...list, changed: true, starts_at: null })
    expect(await operations.showAccount({ account_id })).toMatchObject({ price_list: 'acme' })

    const later = { ...own, effective_from: '2999-01-01T00:00:00Z' }
    const { version } = await operations.publishPrice(later)
    const again = operations.publishPrice(later)
    await expect(again).rejects.toMatchObject({ code: 'conflict', param: 'effective_from' })
    const reason = 'a slip'
    const withdrawn = await operations.withdrawPrice({ version, reason })
    expect(withdrawn).toMatchObject({ version, price_list: 'acme', already_withdrawn: false })
    expect(withdrawn.withdrawn_at).not.toBeNull()
    const twice = await operations.withdrawPrice({ version, reason })
    expect(twice).toEqual({ ...withdrawn, already_withdrawn: true })
    expect((await operations.publishPrice(later)).price_list).toBe('acme')
  })

  test('history is verified, and the folder of a stopped server stays as it was', async () => {
    const { operations } = await open()
    expect(await verified(operations)).toEqual({
      type: 'result',
      streams: 2,
      events: 12,
      broken: [],
      set_aside: [],
      unreadable: [],
      missing_positions: '0',
      contradicted: [],
      texts: { kept: expect.any(Number), erased: 0, altered: [], missing: [], unfinished: [] },
      anchor: null,
      from: null,
      head: expect.stringMatching(/^11-[0-9a-f]{64}$/),
      position: '11',
      kept: false,
    })
  })

  test('a projection is rebuilt: progress, then one result', async () => {
    const { operations } = await open()
    await operations.listAccounts({ limit: 1 })
    const lines = await collect(operations.rebuildProjection({ name: 'accounts' }))
    expect(lines.at(-1)).toMatchObject({ type: 'result', events: 12, differences: 0 })
    expect(lines.filter(({ type }) => type === 'result')).toHaveLength(1)
    const states = (await operations.listProjections()).map(({ state }) => state)
    expect(new Set(states)).toEqual(new Set(['live']))
  })

  test('events are found by stream, type and position', async () => {
    const { operations, account } = await open()
    const stream = accountStream(account.accountId)
    const { events: all } = await operations.listEvents({ stream, limit: 1000 })
    expect(all.map(({ revision }) => revision)).toEqual(all.map((_, i) => i))
    const debits = await operations.listEvents({ type: 'CreditDebited', limit: 1 })
    expect(debits.events).toMatchObject([{ type: 'CreditDebited', data: { amount: '29700000' } }])
    const after = await operations.listEvents({ after: all[3]?.position ?? '', limit: 2 })
    expect(after.events.map(({ type }) => type)).toEqual(['TokensMetered', 'CreditDebited'])
  })

  test('a page of events tells whether more follow, and where', async () => {
    const { operations, account } = await open()
    const { events: all, ...end } = await operations.listEvents({ limit: 12 })
    expect(all).toHaveLength(12)
    expect(end).toEqual({ more: false, next: null })
    for (const query of [{}, { stream: accountStream(account.accountId) }]) {
      const expected = (await operations.listEvents({ ...query, limit: 1000 })).events
      const walked: LoggedEvent[] = []
      for (let next: string | null = '-1'; next !== null; ) {
        const page: EventPage = await operations.listEvents({ ...query, after: next, limit: 5 })
        expect(page.more).toBe(page.next !== null)
        walked.push(...page.events)
        next = page.next
      }
      expect(walked).toEqual(expected)
    }
  })

  test('the newest events are read back, by whom and of what type', async () => {
    const { operations } = await open()
    await operations.openAccount({ name: 'Ada', spend_policy: 'standard' })
    const { events } = await operations.listEvents({ limit: 1000 })
    const newestFirst = events.toReversed()
    const by = (actor: string) =>
      newestFirst.filter(({ metadata }) => {
        const caused = (metadata as { actor: string }).actor
        return caused === actor || caused.startsWith(`${actor}:`)
      })
    expect(by('operator')).not.toEqual([])
    const notOpened = newestFirst.filter(({ type }) => type !== 'AccountOpened')
    expect(notOpened).not.toEqual(newestFirst)
    expect(by('operator')).not.toEqual(newestFirst)
    const debits = newestFirst.filter(({ type }) => type === 'CreditDebited')
    for (const [query, expected] of [
      [{}, newestFirst],
      [{ actor: 'operator' }, by('operator')],
      [{ actor: 'operat' }, []],
      [{ actor: 'administrators' }, by('operator')],
      [{ except: 'AccountOpened' }, notOpened],
      [{ type: 'CreditDebited' }, debits],
      [{ type: 'CreditDebited', actor: 'user' }, []],
    ] as const) {
      const walked: LoggedEvent[] = []
      for (let next: string | null | undefined; next !== null; ) {
        const from = next === undefined ? {} : { until: next }
        const page: EventPage = await operations.newestEvents({ ...query, ...from, limit: 2 })
        expect(page.more).toBe(page.next !== null)
        walked.push(...page.events)
        next = page.next
      }
      expect(walked).toEqual(expected)
    }
  })

  test('a tail tells of events as they come', async () => {
    const { operations } = await open()
    const stop = new AbortController()
    const seen: string[] = []
    const query = { type: 'AccountOpened' }
    await operations.openAccount({ name: 'before', spend_policy: 'standard' })
    const from = (await operations.status()).store.position ?? undefined
    const made = [await operations.openAccount({ name: 'a', spend_policy: 'standard' })]
    for await (const event of operations.tailEvents({ ...query, after: from }, stop.signal)) {
      seen.push((event.data as { accountId: string }).accountId)
      if (seen.length === 2) stop.abort()
      if (seen.length === 1) {
        made.push(await operations.openAccount({ name: 'b', spend_policy: 'standard' }))
      }
      if (seen.length > 2) throw new Error('the tail goes on after its end')
    }
    expect(seen).toEqual(made.map(({ account_id: accountId }) => accountId))
  })

  test('status tells of every part', async () => {
    const { operations } = await open()
    expect(await operations.status()).toMatchObject({
      mode: 'stopped',
      store: { kind: 'sqlite', position: '11' },
      accounts: 1,
      open_requests: 0,
    })
  })

  test('status tells that the events are ahead of the clock, also when it was set since', async () => {
    const { operations } = await open()
    const problems = async () => (await operations.status()).store.problems
    expect(await problems()).toEqual([])
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS })
    await operations.openAccount({ name: 'of tomorrow', spend_policy: 'standard' })
    expect(await problems()).toEqual([])
    vi.useRealTimers()
    expect(await problems()).toEqual([expect.stringMatching(/newest events .* ahead of the clock/)])
  })

  test.each<readonly [string, (operations: Operations, accountId: string) => Promise<unknown>]>([
    ['not_found', (operations) => operations.showAccount({ account_id: noAccount })],
    ['not_found', (operations) => operations.showAccount({ account_id: 'nonsense' })],
    ['not_found', (operations) => operations.statement({ account_id: noAccount, limit: 1 })],
    ['not_found', (operations) => operations.explain({ request_id: 'req_none' })],
    ['not_found', (operations) => collect(operations.rebuildProjection({ name: 'none' }))],
    ['invalid_value', (operations) => operations.listEvents({ type: 'Typo', limit: 1 })],
    ['invalid_value', (operations) => operations.newestEvents({ type: 'Typo', limit: 1 })],
    ['invalid_value', (operations) => operations.newestEvents({ except: 'Typo', limit: 1 })],
    ['invalid_value', (operations) => collect(operations.tailEvents({ type: 'Typo' }, never))],
    ['not_found', (operations) => operations.listEvents({ stream: 'account-x', limit: 1 })],
    ['invalid_value', (operations, accountId) => operations.grant(badGrant(accountId, '-1'))],
    ['invalid_value', (operations, accountId) => operations.grant(badGrant(accountId, '1e3'))],
    [
      'invalid_value',
      (operations) => operations.openAccount({ name: '  ', spend_policy: 'strict' }),
    ],
    ['invalid_value', (operations) => operations.listAccounts({ limit: 1_001 })],
    ['invalid_value', (operations) => operations.listEvents({ after: '1e3', limit: 1 })],
    ['invalid_value', (operations) => collect(operations.tailEvents({ after: '-2' }, never))],
    ['invalid_value', (operations) => collect(operations.tailEvents({ after: '9999' }, never))],
    [
      'invalid_value',
      (operations) =>
        operations.publishPrice({
          model: 'gpt',
          input: '1',
          cached_input: '1',
          output: '1',
          effective_from: null,
        }),
    ],
  ])('refuses as %s', async (code, ask) => {
    const { operations, account } = await open()
    const error = await refusal(ask(operations, account.accountId))
    expect(error).toBeInstanceOf(ServiceError)
    expect(error).toMatchObject({ code })
  })
})

function badGrant(accountId: string, amount: string) {
  return {
    account_id: accountId,
    amount,
    category: 'paid',
    priority: 100,
    expires_at: null,
    reference: null,
    reason: 'x',
  } as const
}
