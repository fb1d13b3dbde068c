/** Prices on the command line, in a data folder that has one price: 0.15, 0.015, 0.60. */
import type { Operations } from '@svc/contracts/admin/operations'
import { startAdminServer } from '@svc/testing/admin-server'
import { folderWithHistory } from '@svc/testing/data-folders'
import { svc } from '@svc/testing/run-svc'
import { expect, onTestFinished, test } from 'vitest'

async function openFolder() {
  const { path, account } = await folderWithHistory()
  const run = (...args: readonly string[]) => svc(['--data-dir', path, '--quiet', ...args])
  const json = async (...args: readonly string[]) => JSON.parse((await run('--json', ...args)).out)
  const versions = async () =>
    (await json('price', 'list')).prices.map(({ version }: { version: string }) => version)
  return { accountId: account.accountId, path, run, json, versions }
}

const publish = (input: string, ...more: readonly string[]) => [
  ...['price', 'publish', '--input', input, '--cached-input', '0.015', '--output', '0.60'],
  ...more,
]
const LATER = '2999-01-01'

test('a dry run shows old and new per million, and publishes nothing', async () => {
  const { run, json, versions } = await openFolder()
  const before = await versions()
  const { code, out } = await run(...publish('0.30', '--dry-run', '--from', LATER))
  expect(code).toBe(0)
  expect(out).toContain(`replaces       ${before[0]} of the list "default"`)
  expect(out).toMatch(/^PER MILLION +OLD +NEW$/m)
  expect(out).toMatch(/^input +0\.15 +0\.30$/m)
  expect(out).toMatch(/^cached input +0\.015 +0\.015$/m)
  const preview = await json(...publish('1.5', '--dry-run'))
  expect(preview).toMatchObject({
    schema: 'svc.price-preview/1',
    input: '1.50',
    replaces: { version: before[0] },
    doubts: ['input goes from $0.15 to $1.50 per million tokens'],
  })
  expect((await run(...publish('0.30', '--dry-run', '--from', '2001-01-01'))).code).toBe(2)
  expect(await versions()).toEqual(before)
})

test('publishing says from when on, and a dry run what an announced price ends', async () => {
  const { path, json } = await openFolder()
  const run = (...args: readonly string[]) => svc(['--data-dir', path, ...args])
  const once = ['--from', LATER, '--idempotency-key', 'spring']
  const later = await run(...publish('0.30', ...once))
  const from = '2999-01-01T00:00:00.000Z'
  expect(later.err).toContain(`published, in force from ${from}; see it with: svc price list`)
  const again = await run(...publish('0.30', ...once))
  expect(again.err).toContain(`had been published before, in force from ${from}: nothing was`)
  const version = later.out.trim()
  const now = await run(...publish('0.20', '--dry-run'))
  expect(now.out).toContain(`until          ${from}, by ${version}`)
  const acme = await run(...publish('0.20', '--dry-run', '--list', 'acme'))
  expect(acme.out).not.toContain('until')
  const preview = await json(...publish('0.20', '--dry-run'))
  expect(preview.replaced_by).toMatchObject({ version, effective_from: from })
  await run('price', 'withdraw', version, '--yes')
  expect((await run(...publish('0.20', '--dry-run'))).out).not.toContain('until')
  const withdrawn = await run(...publish('0.30', ...once))
  expect(withdrawn.err).toContain('had been published before, withdrawn at ')
})

test('a tenfold price, and one of nothing, is published with --yes alone', async () => {
  const { run, versions } = await openFolder()
  const before = await versions()
  const free = ['price', 'publish', '--input', '0', '--cached-input', '0', '--output', '0']
  for (const [args, why] of [
    [publish('1.5'), 'input goes from $0.15 to $1.50 per million tokens'],
    [free, 'every rate is 0'],
  ] as const) {
    const refused = await run(...args)
    expect([refused.code, refused.out]).toEqual([2, ''])
    expect(refused.err).toContain(why)
    expect(refused.err).toContain('--yes')
    expect(await versions()).toHaveLength(before.length)
  }
  expect((await run(...publish('1.5', '--yes'))).code).toBe(0)
  expect(await versions()).toHaveLength(2)
})

test('an announced price is withdrawn once; one in force is not', async () => {
  const { run, json, versions } = await openFolder()
  const [inForce] = await versions()
  const { version } = await json(...publish('0.30', '--from', LATER))
  const twice = await run(...publish('0.20', '--from', LATER))
  expect([twice.code, twice.out]).toEqual([5, ''])
  expect(twice.err).toContain(`The price ${version} takes effect`)

  const withdraw = ['price', 'withdraw', version]
  const unasked = await run(...withdraw)
  expect([unasked.code, unasked.out]).toEqual([2, ''])
  const withdrawn = await json(...withdraw, '--yes', '--reason', 'a typing error')
  const schema = 'svc.price-withdrawn/1'
  expect(withdrawn).toMatchObject({ schema, version, already_withdrawn: false })
  expect(await json(...withdraw, '--yes')).toEqual({ ...withdrawn, already_withdrawn: true })
  expect((await run('price', 'list')).out).toContain('never: withdrawn')
  const late = await run('price', 'withdraw', inForce, '--yes')
  expect([late.code, late.out]).toEqual([5, ''])
  expect(late.err).toContain('Publish another one')
  expect((await run('price', 'withdraw', 'price_none', '--yes')).code).toBe(3)
})

test('an account is put on the list of its own prices', async () => {
  const { accountId, path, run, json } = await openFolder()
  const set = (list: string) =>
    svc(['--data-dir', path, 'account', 'set-price-list', accountId, list])
  const unknown = await set('acme')
  expect([unknown.code, unknown.out]).toEqual([2, ''])
  expect(unknown.err).toContain('LIST: There is no price on a list "acme"')
  expect((await set('Two words')).code).toBe(2)
  expect((await run(...publish('0.10', '--list', 'acme'))).code).toBe(0)
  const done = await set('acme')
  expect(done).toMatchObject({ code: 0, out: 'acme\n' })
  expect(done.err).toContain('requests accepted from now on pay it')
  const again = await set('acme')
  expect(again.err).toContain('it was on it already: nothing was changed')
  expect(again.err).not.toContain('from now on')
  expect(await json('account', 'show')).toMatchObject({ price_list: 'acme' })
  const back = await json('account', 'set-price-list', '--account', accountId, 'default')
  const schema = 'svc.account-price-list/1'
  expect(back).toEqual({
    schema,
    account_id: accountId,
    price_list: 'default',
    changed: true,
    starts_at: null,
  })
})

test('before the first price of all, nothing is sold on the list of everybody', async () => {
  const start = '2999-01-01T00:00:00.000Z'
  const set = { account_id: 'acct_1', price_list: 'default', changed: true, starts_at: start }
  const server = await startAdminServer({
    operations: { setPriceList: async () => set } as unknown as Operations,
    operatorToken: 'secret',
    address: () => server.baseUrl,
  })
  onTestFinished(server.close)
  const environment = { SVC_OPERATOR_TOKEN: 'secret' }
  const args = ['--url', server.baseUrl, 'account', 'set-price-list', 'acct_1', 'default']
  const { err } = await svc(args, { environment })
  expect(err).toContain(`first price is in force from ${start}, until then nothing is sold at it`)
})

test('of a list whose first price is still to come it is said what is paid until then', async () => {
  const { accountId, path, run, json } = await openFolder()
  const set = () => svc(['--data-dir', path, 'account', 'set-price-list', accountId, 'acme'])
  expect((await run(...publish('0.10', '--list', 'acme', '--from', LATER))).code).toBe(0)
  const start = '2999-01-01T00:00:00.000Z'
  const pays = `its first price is in force from ${start}, until then those of "default" count; see`
  const done = await set()
  expect(done.err).toContain(pays)
  expect(done.err).not.toContain('from now on')
  expect((await set()).err).toContain(`it was on it already: nothing was changed; ${pays}`)
  expect(await json('account', 'set-price-list', accountId, 'acme')).toMatchObject({
    changed: false,
    starts_at: start,
  })
  expect((await run(...publish('0.10', '--list', 'acme'))).code).toBe(0)
  expect(await json('account', 'set-price-list', accountId, 'acme')).toMatchObject({
    starts_at: null,
  })
})
