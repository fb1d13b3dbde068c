/**
 * A file that one reader takes and another does not is nobody's evidence. An operator with the true
 * key can write and sign each of these.
 *
 *     SVC_EVIDENCE_LANGUAGES=on     by Python and Go as well, which come to the same verdict
 */
import { createHash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rotationNote } from '@svc/contracts/evidence/key-rotation'
import { nodeHash } from '@svc/contracts/evidence/merkle-tree'
import {
  cosignNote,
  parseNote,
  readSignerKey,
  signerKeyText,
  signNote,
} from '@svc/contracts/evidence/signed-note'
import { verifyEvidence } from '@svc/contracts/evidence/verify-evidence'
import { Random } from '@svc/testing/random'
import { expect, test } from 'vitest'
import { agreedVerdicts } from './agreed-verdicts.ts'
import { history, key, NOW, signer } from './manipulations.ts'
import { checkpointOf, fileOf, type PaperLog, requestFileOf, resealed } from './paper-log.ts'

const SEED = 20_261_129
const LONG_MS = 900_000
const { verdictOn } = agreedVerdicts(mkdtempSync(join(tmpdir(), 'svc-readers-')))

const { log, stream, file } = await history(new Random(SEED))
const [header = '', ...events] = file.toString().split('\n')
const { checkpoint } = JSON.parse(header) as { checkpoint: string }
const { text } = parseNote(checkpoint)
const signature = checkpoint.slice(text.length + 1)

const found = (line: number, what: string) => ({
  verdict: 'broken',
  first_broken: expect.objectContaining({ line, what }),
})

const withHeader = (changed: string) => Buffer.from([changed, ...events].join('\n'))
const fields = (changes: object) =>
  withHeader(JSON.stringify({ ...JSON.parse(header), ...changes }))

test.each<[string, RegExp | string, string]>([
  ['a count with a fraction', /"events":(\d+)/, '"events":$1.0'],
  ['a count that only rounds to one', /"events":(\d+)/, '"events":$1.00000000000000000001'],
  ['a version with an exponent', '"svc_evidence":1', '"svc_evidence":1e0'],
  ['a place with a fraction', /"leaf":(\d+)/, '"leaf":$1.0'],
  ['an event with a fraction', /"event":(\d+)/, '"event":$1.0'],
  ['an event that is true', /"event":\d+/, '"event":true'],
  ['no proofs but null', /"proofs":\[.*?\}\]/, '"proofs":null'],
  ['no proofs but an object', /"proofs":\[.*?\}\]/, '"proofs":{}'],
  ['no hashes but null', /"hashes":\[.*?\]/, '"hashes":null'],
  ['no consistency but null', '"consistency":[]', '"consistency":null'],
  ['no consistency but an object', '"consistency":[]', '"consistency":{}'],
  [
    'a size with a fraction',
    '"consistency":[]',
    '"consistency":[{"size":0.0,"root":"","hashes":[]}]',
  ],
  ['no rotations but null', '"rotations":[]', '"rotations":null'],
  ['no rotations but an empty text', '"rotations":[]', '"rotations":""'],
  ['no rotation but null', '"rotations":[]', '"rotations":[null]'],
  ['a stream and null behind it', '"request":', '"stream":null,"request":'],
  ['a field more', '"svc_evidence":1', '"svc_evidence":1,"__proto__":{}'],
  ['half a character', '"stream":"', '"stream":"\\ud800'],
  ['more than a line holds', '"stream":', `${' '.repeat(4 * 1024 * 1024)}"stream":`],
])('a header with %s is none', { timeout: LONG_MS }, async (_name, from, to) => {
  const changed = header.replace(from, to)
  expect(changed).not.toBe(header)
  expect(await verdictOn({ file: withHeader(changed) })).toMatchObject(found(1, 'header'))
})

test('a field of a consistency proof is one of three', async () => {
  const since = fileOf(log, { stream, checkpoint, since: [2] })
  const more = since.replace('"size":2', '"size":2,"more":1')
  expect(await verdictOn({ file: Buffer.from(since) })).toMatchObject({ verdict: 'ok' })
  expect(await verdictOn({ file: Buffer.from(more) })).toMatchObject(found(1, 'header'))
})

test('a log that changed its key a hundred times is as good as another', async () => {
  const other = readSignerKey(signerKeyText(signer.verifier.name, Buffer.alloc(32, 9)))
  const rotations = [signer, other].flatMap((from, index, both) => {
    return Array.from({ length: 60 }, () => rotationNote(from, both[1 - index] ?? from, NOW))
  })
  expect(await verdictOn({ file: fields({ rotations }) })).toMatchObject({ verdict: 'ok' })
})

/** The file over a log in which one event says something else. */
function withEvent(type: string, change: (data: string) => string): Buffer {
  const at = log.findIndex((event) => event.stream === stream && event.type === type)
  const changed = log.map((event, index) => {
    return index === at ? { ...event, data: change(event.data) } : event
  })
  return signedFile(resealed(changed))
}

function signedFile(changed: PaperLog): Buffer {
  return Buffer.from(fileOf(changed, { stream, checkpoint: checkpointOf(changed, signer, NOW) }))
}

test.each<[string, string, RegExp, string, string]>([
  ['tokens with a fraction', 'TokensMetered', /"inputTokens":(\d+)/, '"inputTokens":$1.0', 'price'],
  [
    'tokens that only round to a count',
    'CreditDebited',
    /"tokens":(\d+)/,
    '"tokens":$1.00000000000000000001',
    'price',
  ],
  ['no number', 'AccountOpened', /"at":\d+/, '"at":NaN', 'price'],
  ['half a character', 'AccountOpened', /"name":"/, '"name":"\\ud800', 'price'],
  ['half a character in a name', 'AccountOpened', /"name":/, '"\\udfff":', 'price'],
])('%s in an event is what no reader takes', async (_name, type, from, to, what) => {
  const changed = withEvent(type, (data) => data.replace(from, to))
  expect(changed.equals(signedFile(log))).toBe(false)
  const { verdict, first_broken } = await verdictOn({ file: changed })
  expect({ verdict, what: first_broken?.what }).toEqual({ verdict: 'broken', what })
})

test('whole characters and long numbers in an event are what every reader takes', async () => {
  const many = withEvent('AccountOpened', (data) =>
    data.replace(/"at":\d+/, String.raw`"at":${'9'.repeat(5_000)},"as":"\ud83d\ude00\\ud800 3.5"`),
  )
  expect(await verdictOn({ file: many })).toMatchObject({ verdict: 'ok' })
})

test.each(['1.0', '1e0', '1.00000000000000000001', '9007199254740992'])(
  'revision %s is none',
  async (revision) => {
    const line = events[1]?.replace(/,1,"/, `,${revision},"`) ?? ''
    const shown = Buffer.from([header, ...events.with(1, line)].join('\n'))
    expect(await verdictOn({ file: shown })).toMatchObject(found(3, 'event'))
  },
)

test('a line is too long however the file is cut', { timeout: LONG_MS }, async () => {
  const long = withEvent('AccountOpened', (data) =>
    data.replace(/"at":\d+/, `"at":"${'x'.repeat(4 * 1024 * 1024)}"`),
  )
  expect(await verdictOn({ file: long })).toMatchObject(found(2, 'event'))
  const cut = Array.from({ length: 80 }, (_, index) =>
    long.subarray(index * 64 * 1024, (index + 1) * 64 * 1024),
  )
  expect(await verifyEvidence(cut, { key })).toMatchObject(found(2, 'event'))
})

test.each(['RequestAccepted', 'TokensMetered'])(
  'a request has one %s, and so one price and one count',
  async (type) => {
    const at = log.findIndex((event) => event.stream === stream && event.type === type)
    const doubled = resealed(log.toSpliced(at, 0, log[at] as PaperLog[number]))
    const { first_broken } = await verdictOn({ file: signedFile(doubled) })
    expect(first_broken).toMatchObject({ what: 'price', revision: (log[at]?.revision ?? 0) + 1 })
  },
)

const signed = (content: string) => signNote(content, signer)
const damaged = signature.replace(/ (\S+)\n/, (_all, encoded: string) => {
  const bytes = Buffer.from(encoded, 'base64')
  bytes[10] = (bytes[10] ?? 0) ^ 1
  return ` ${bytes.toString('base64')}\n`
})
const otherRoot = (root: Buffer) => text.replace(/\n.{43}=\n/, `\n${root.toString('base64')}\n`)

test.each<[string, string]>([
  ['digits of other scripts in its size', signed(text.replace(/\n\d(\d*)\n/, '\n1\u0661$1\n'))],
  ['digits of other scripts in its time', signed(text.replace('time 1', 'time \u0661'))],
  ['a control character', signed(`${text}a\tb\n`)],
  ['a root of 31 bytes', signed(otherRoot(Buffer.alloc(31)))],
  ['a root of 33 bytes', signed(otherRoot(Buffer.alloc(33)))],
  [
    'another text for its root',
    signed(
      text.replace(/(.)=\n/, (_all, last: string) => {
        return `${String.fromCodePoint((last.codePointAt(0) ?? 0) + 1)}=\n`
      }),
    ),
  ],
  ['a size that not every language can hold', signed(text.replace(/\n\d+\n/, `\n${2 ** 53}\n`))],
  ['a second signature that does not hold', `${checkpoint}${damaged}`],
  ['a signature that is none', `${checkpoint}— other AAAA\n`],
  ['a signature of a name with a plus', `${checkpoint}— o+ther AAAAAAA=\n`],
  ['a signature of a name with a space', `${checkpoint}— o\u0085ther AAAAAAA=\n`],
  ['more signatures than a note has', `${checkpoint}${'— other AAAAAAA=\n'.repeat(100)}`],
  ['more text than a note has', signed(`${text}${'x'.repeat(64 * 1024)}\n`)],
])('a checkpoint with %s is none', async (_name, changed) => {
  expect(await verdictOn({ file: fields({ checkpoint: changed }) })).toMatchObject(
    found(1, 'checkpoint'),
  )
  expect(await verdictOn({ file, checkpoint: changed })).toMatchObject(found(0, 'checkpoint'))
})

test('an empty checkpoint was given, and is none', async () => {
  expect(await verdictOn({ file, checkpoint: '' })).toMatchObject(found(0, 'checkpoint'))
})

test.each([
  ['more text', signed(`${text}more\n`)],
  ['the same signature again', `${checkpoint}${signature}`],
  ['a signature of somebody else', `${checkpoint}— öther\ufeff AAAAAAA=\n`],
])('a checkpoint with %s is one', async (_name, changed) => {
  expect(await verdictOn({ file: fields({ checkpoint: changed }) })).toMatchObject({
    verdict: 'ok',
  })
})

test('a tree as large as a number counts is as good as another', async () => {
  const leaf = createHash('sha256').update(Buffer.of(0))
  leaf.update(
    createHash('sha256')
      .update(events.at(-2) ?? '')
      .digest(),
  )
  let root: Uint8Array = leaf.digest()
  const hashes = Array.from({ length: 53 }, (_, level) => {
    const sibling = Buffer.alloc(32, level)
    root = nodeHash(root, sibling)
    return sibling.toString('hex')
  })
  const size = Number.MAX_SAFE_INTEGER
  const large = signed(
    `${signer.verifier.name}\n${size}\n${Buffer.from(root).toString('base64')}\ntime ${NOW}\n`,
  )
  const proofs = [{ event: events.length - 1, leaf: 0, hashes }]
  expect(await verdictOn({ file: fields({ checkpoint: large, proofs }) })).toMatchObject({
    verdict: 'ok',
  })
})

test('a key that cosigns signs no log', async () => {
  const cosigner = readSignerKey(
    signerKeyText(signer.verifier.name, Buffer.alloc(32, 10), 'cosignature'),
  )
  const keys = [signer, cosigner].map(({ verifier }) => verifier.text)
  const handover = `${[signer.verifier.name, 'key rotation', ...keys, `time ${NOW}`].join('\n')}\n`
  const rotations = [signed(handover) + cosignNote(handover, NOW, cosigner)]
  expect(await verdictOn({ file: fields({ rotations }) })).toMatchObject(found(1, 'key'))
  await expect(verifyEvidence([file], { key: cosigner.verifier.text })).rejects.toThrow('of no log')
})

test('of two checkpoints the later one shows no shorter log, consistent or not', async () => {
  const shorter = log.slice(0, 2)
  for (const since of [[], [shorter.length]]) {
    const shown = { file: Buffer.from(fileOf(log, { stream, checkpoint, since })) }
    const later = checkpointOf(shorter, signer, NOW + 1)
    expect(await verdictOn({ ...shown, checkpoint: later })).toMatchObject(found(0, 'cut'))
    const sameSecond = checkpointOf(shorter, signer, NOW)
    expect((await verdictOn({ ...shown, checkpoint: sameSecond })).first_broken).toBeNull()
  }
})

type Proof = { readonly event: number; readonly leaf: number; readonly hashes: readonly string[] }
const { proofs } = JSON.parse(header) as { proofs: readonly Proof[] }
const last = events.length - 2
const unproven = { verdict: 'not_covered', not_covered: 'no_inclusion_proof' }

test('without a proof nothing is covered, and behind the last one nothing', async () => {
  expect(await verdictOn({ file: fields({ proofs: [] }) })).toMatchObject({
    ...unproven,
    covered_to: null,
  })
  const leaf = log.findIndex((event) => event.stream === stream && event.revision === 1)
  const upTo = checkpointOf(log.slice(0, leaf + 1), signer, NOW)
  const early = log.filter((event, index) => event.stream !== stream || index <= leaf)
  const [first = ''] = fileOf(early.slice(0, leaf + 1), { stream, checkpoint: upTo }).split('\n')
  const all = JSON.stringify({ ...JSON.parse(first), events: last + 1 })
  expect(await verdictOn({ file: withHeader(all) })).toMatchObject({ ...unproven, covered_to: 1 })
})

test('a proof is of an event of the file, and every event is one of the header', async () => {
  const more = [...proofs, { ...proofs[0], event: last + 2 }]
  expect(await verdictOn({ file: fields({ proofs: more }) })).toMatchObject(found(1, 'header'))
  const fewer = { events: last, proofs: [] }
  expect(await verdictOn({ file: fields(fewer) })).toMatchObject(found(last + 2, 'event'))
  expect(await verdictOn({ file: fields({ stream: 'account-x' }) })).toMatchObject(
    found(2, 'event'),
  )
  expect(await verdictOn({ file: Buffer.alloc(0) })).toMatchObject(found(1, 'header'))
})

test('a checkpoint that does not go on from an earlier one is named', async () => {
  const since = fileOf(log, { stream, checkpoint, since: [2] })
  const rewritten = since.replace(
    /("size":2,"root":")(.)/,
    (_all, before: string, digit: string) => {
      return `${before}${digit === '0' ? '1' : '0'}`
    },
  )
  expect(await verdictOn({ file: Buffer.from(rewritten) })).toMatchObject(found(1, 'consistency'))
})

test('of a request every event needs a proof, but where the next one is chained to it', async () => {
  const debit = log.findLast(({ stream: of, type }) => of === stream && type === 'CreditDebited')
  const { requestId } = JSON.parse(debit?.data ?? '') as { requestId: string }
  const whole = requestFileOf(log, { stream, checkpoint, named: requestId, requestId })
  const shown = (kept: (event: number) => boolean) => {
    const [first = '', ...lines] = whole.split('\n')
    const all = JSON.parse(first) as { proofs: readonly Proof[] }
    const some = { ...all, proofs: all.proofs.filter(({ event }) => kept(event)) }
    return Buffer.from([JSON.stringify(some), ...lines].join('\n'))
  }
  const revisions = whole
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line)[2] as number)
  const isGap = (revisions[1] ?? 0) > (revisions[0] ?? 0) + 1
  expect(await verdictOn({ file: shown((event) => event > 1) })).toMatchObject(
    isGap ? unproven : { verdict: 'ok' },
  )
  expect(await verdictOn({ file: shown((event) => event < 3) })).toMatchObject(unproven)
  // The meter and the debit stand in one append.
  expect(await verdictOn({ file: shown((event) => event !== 2) })).toMatchObject({ verdict: 'ok' })
})
