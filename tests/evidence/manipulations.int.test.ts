/**
 * Random manipulations of a history are all found, and an untouched one always passes.
 *
 *     SVC_EVIDENCE_RUNS=1000        how many of them; default 220
 *     SVC_EVIDENCE_LANGUAGES=on     by Python and Go as well, which come to the same verdict
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  cosignNote,
  parseNote,
  readSignerKey,
  type SignerKey,
  signerKeyText,
} from '@svc/contracts/evidence/signed-note'
import { requestId, START_MS } from '@svc/testing/account-history'
import { Random } from '@svc/testing/random'
import { svc } from '@svc/testing/run-svc'
import { describe, expect, test } from 'vitest'
import { agreedVerdicts } from './agreed-verdicts.ts'
import { history, key, manipulations, NOW, signer } from './manipulations.ts'
import { checkpointOf, fileOf, requestFileOf, resealed } from './paper-log.ts'

const RUNS = Number(process.env.SVC_EVIDENCE_RUNS ?? 220)
const SEED = 20_261_122
const LONG_MS = 900_000
const scratch = mkdtempSync(join(tmpdir(), 'svc-evidence-'))

const { verdictOn } = agreedVerdicts(scratch)

const kinds = Object.entries(manipulations)
const perKind = Math.ceil(RUNS / kinds.length)

test('an untouched history passes', { timeout: LONG_MS }, async () => {
  for (let seed = 0; seed < 10; seed += 1) {
    const honest = await history(new Random(seed))
    const checkpoint = checkpointOf(honest.log, signer, NOW)
    expect(await verdictOn({ file: honest.file })).toMatchObject({ verdict: 'ok' })
    expect(await verdictOn({ file: honest.file, checkpoint })).toMatchObject({ verdict: 'ok' })
  }
})

test('the example of the reference page is what it says', async () => {
  const page = readFileSync(new URL('../../docs/reference/evidence.md', import.meta.url), 'utf8')
  const [, example = ''] = /```jsonl\n(.*?)```/s.exec(page) ?? []
  const given = /Its public key is\n\n```\n(.*)\n```/.exec(page)?.[1]
  expect(given).toBe(key)
  expect(await verdictOn({ file: Buffer.from(example) })).toMatchObject({
    verdict: 'ok',
    events: 3,
  })
})

describe.each(kinds)('%s', (_name, manipulate) => {
  test(`is found, ${perKind} times`, { timeout: LONG_MS }, async () => {
    for (let run = 0; run < perKind; run += 1) {
      const random = new Random(SEED + run)
      const honest = await history(random)
      const shown = manipulate(honest, random)
      const verdict = await verdictOn(shown)
      expect(verdict, `seed ${SEED + run}`).toMatchObject({ verdict: 'broken' })
      expect(verdict.first_broken, `seed ${SEED + run}`).not.toBeNull()
      if (shown.line !== undefined) {
        expect(verdict.first_broken?.line, `seed ${SEED + run}`).toBe(shown.line)
      }
    }
  })
})

test('a file that is named for one request and holds the events of another is found', async () => {
  const { log, stream } = await history(new Random(SEED))
  const checkpoint = checkpointOf(log, signer, NOW)
  const ids = log.flatMap(({ stream: of, type, data }) =>
    of === stream && type === 'CreditDebited' ? [JSON.parse(data).requestId as string] : [],
  )
  const [dear = '', cheap = ''] = ids
  const shown = async (named: string, requestId: string) => {
    const file = requestFileOf(log, { stream, checkpoint, named, requestId })
    return verdictOn({ file: Buffer.from(file) })
  }
  const whose = { stream, request: dear }
  expect(await shown(dear, dear)).toMatchObject({ verdict: 'ok', ...whose, events: 3 })
  expect(await shown(dear, cheap)).toMatchObject({
    verdict: 'broken',
    first_broken: { line: 2, revision: null, what: 'event' },
    stream: null,
    request: null,
  })
})

test('of the file of a request nothing is said of the events between', async () => {
  const { log, stream, file } = await history(new Random(SEED))
  const checkpoint = checkpointOf(log, signer, NOW)
  const debit = log.findLast(({ stream: of, type }) => of === stream && type === 'CreditDebited')
  const { requestId: named } = JSON.parse(debit?.data ?? '') as { requestId: string }
  const said = async (text: Buffer) => {
    const path = join(scratch, 'said.jsonl')
    writeFileSync(path, text)
    return (await svc(['verify-evidence', path, '--key', key])).out
  }
  const ofRequest = requestFileOf(log, { stream, checkpoint, named, requestId: named })
  expect(await said(Buffer.from(ofRequest))).toBe(
    `ok: 3 events of ${named} of ${stream}, ` +
      `the last that is proven is event ${debit?.revision} of the account\n`,
  )
  expect(await said(file)).toMatch(
    new RegExp(`^ok: \\d+ events of ${stream}, events up to \\d+ are proven\\n$`),
  )
})

test('a file without an event shows nothing, and is none', async () => {
  const { log, stream } = await history(new Random(SEED))
  const checkpoint = checkpointOf(log, signer, NOW)
  const nothing = { svc_evidence: 1, stream, events: 0, checkpoint, proofs: [] }
  for (const request of [null, requestId(START_MS, '0')]) {
    const header = { ...nothing, request, consistency: [], rotations: [] }
    expect(await verdictOn({ file: Buffer.from(`${JSON.stringify(header)}\n`) })).toMatchObject({
      verdict: 'broken',
      first_broken: { line: 1, what: 'header' },
    })
  }
})

test('events behind one of a later version are not covered, and not called broken', async () => {
  const { log, stream } = await history(new Random(SEED))
  const grant = log.findIndex((event) => event.stream === stream && event.type === 'CreditGranted')
  const shown = async (spoiled?: number) => {
    const later = resealed(
      log.map((event, index) => {
        if (index === grant) return { ...event, type: 'CreditLent' }
        if (index !== spoiled) return event
        return { ...event, data: event.data.replace('"balanceAfter":"', '"balanceAfter":"1') }
      }),
    )
    const checkpoint = checkpointOf(later, signer, NOW)
    return verdictOn({ file: Buffer.from(fileOf(later, { stream, checkpoint })) })
  }
  expect(await shown()).toMatchObject({
    verdict: 'not_covered',
    not_covered: 'unknown_event',
    covered_to: (log[grant]?.revision ?? 0) - 1,
  })
  const last = log.findLastIndex(
    ({ stream: of, type }) => of === stream && type === 'CreditDebited',
  )
  expect(await shown(last)).toMatchObject({ first_broken: { what: 'balance' } })
})

test.each([
  ['fewer tokens than none', { inputTokens: -5 }],
  ['half a token', { inputTokens: 0.5 }],
  ['tokens that are true', { inputTokens: true }],
  ['more tokens than a number can count', { inputTokens: 2 ** 53 }],
  ['a request that is a number', { requestId: 5 }],
])('%s are no meter', async (_name, changes) => {
  const { log, stream } = await history(new Random(SEED))
  const metered = log.findIndex(({ stream: of, type }) => of === stream && type === 'TokensMetered')
  const changed = resealed(
    log.map((event, index) => {
      if (index !== metered) return event
      return { ...event, data: JSON.stringify({ ...JSON.parse(event.data), ...changes }) }
    }),
  )
  const checkpoint = checkpointOf(changed, signer, NOW)
  const { revision = 0 } = log[metered] ?? {}
  expect(await verdictOn({ file: Buffer.from(fileOf(changed, { stream, checkpoint })) })).toEqual(
    expect.objectContaining({ first_broken: { line: revision + 2, revision, what: 'price' } }),
  )
})

test.each([
  ['request', 5],
  ['request', false],
  ['svc_evidence', true],
  ['events', '3'],
])('a header whose %s is %j is none', async (field, value) => {
  const { file } = await history(new Random(SEED))
  const [header = '', ...lines] = file.toString().split('\n')
  const changed = JSON.stringify({ ...JSON.parse(header), [field]: value })
  expect(await verdictOn({ file: Buffer.from([changed, ...lines].join('\n')) })).toMatchObject({
    verdict: 'broken',
    first_broken: { line: 1, what: 'header' },
  })
})

test('a second history in one tree is seen by who kept a file, and not by a checkpoint', async () => {
  const { log, stream, file } = await history(new Random(SEED))
  const debit = log.findLastIndex(
    (event) => event.stream === stream && event.type === 'CreditDebited',
  )
  const other = log.with(debit, { ...(log[debit] as (typeof log)[number]), id: 'another' })
  const second = resealed(other).filter((event) => event.stream === stream)
  const whole = [...log, ...second.slice(log[debit]?.revision)]
  const checkpoint = checkpointOf(whole, signer, NOW + 60)
  const shown = fileOf(whole, { stream, checkpoint, since: [log.length], own: second })
  const earlier = checkpointOf(log, signer, NOW)
  expect(await verdictOn({ file: Buffer.from(shown), checkpoint: earlier })).toMatchObject({
    verdict: 'ok',
  })
  const eventsOf = (text: string) => text.slice(text.indexOf('\n') + 1)
  expect(eventsOf(shown).startsWith(eventsOf(file.toString()))).toBe(false)
})

test('a longer log that was signed in the same second is newer, and was not cut', async () => {
  const { log, stream } = await history(new Random(SEED))
  const start = log.findIndex((event) => event.stream === stream)
  const shorter = log.slice(0, start + 1)
  const file = Buffer.from(
    fileOf(shorter, { stream, checkpoint: checkpointOf(shorter, signer, NOW) }),
  )
  const found = async (time: number) =>
    verdictOn({ file, checkpoint: checkpointOf(log, signer, time) })
  const newer = { verdict: 'not_covered', not_covered: 'newer_checkpoint' }
  expect(await found(NOW)).toMatchObject(newer)
  expect(await found(NOW + 1)).toMatchObject(newer)
  expect(await found(NOW - 1)).toMatchObject({ first_broken: { line: 0, what: 'cut' } })
})

test('the cosignatures of the witnesses that are named have to be there, and to hold', async () => {
  const { log, file } = await history(new Random(SEED))
  const [witness, other] = [5, 6].map((seed) => {
    const text = signerKeyText(`witness-${seed}`, Buffer.alloc(32, seed), 'cosignature')
    return readSignerKey(text)
  }) as [SignerKey, SignerKey]
  const names = (...signers: SignerKey[]) => signers.map(({ verifier }) => verifier.text)
  const plain = checkpointOf(log, signer, NOW)
  const cosigned = plain + cosignNote(parseNote(plain).text, NOW + 5, witness)
  const given = { file, checkpoint: cosigned }
  expect(await verdictOn(given, names(witness))).toMatchObject({ verdict: 'ok' })
  expect(await verdictOn(given, names(witness, other))).toMatchObject({
    verdict: 'not_covered',
    not_covered: 'no_cosignature',
  })
  expect(await verdictOn({ file, checkpoint: plain }, names(witness))).toMatchObject({
    not_covered: 'no_cosignature',
  })
  // The same words at another time were not cosigned.
  const time = Buffer.from(parseNote(cosigned).signatures[1]?.bytes ?? '')
  time[7] = (time[7] ?? 0) ^ 1
  const id = Buffer.from(witness.verifier.keyId, 'hex')
  const line = `— ${witness.verifier.name} ${Buffer.concat([id, time]).toString('base64')}\n`
  expect(await verdictOn({ file, checkpoint: plain + line }, names(witness))).toMatchObject({
    verdict: 'broken',
    first_broken: { line: 0, what: 'cosignature' },
  })
})
