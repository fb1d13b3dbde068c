/** `svc witness` beside a log that is honest at first. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  isSignedBy,
  parseNote,
  readSignerKey,
  readVerifierKey,
  signerKeyText,
} from '@svc/contracts/evidence/signed-note'
import type { SealedEvent } from '@svc/contracts/ports/hash-chain'
import { svc } from '@svc/testing/run-svc'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { NOW, signer } from './manipulations.ts'
import { checkpointOf, fileOf, type PaperLog, proofBetween, resealed } from './paper-log.ts'

let log: PaperLog
let time: number
beforeEach(() => {
  log = someLog(20, 'first')
  time = NOW
})

/** @returns looks once, as a witness on a folder of its own */
async function witnessed() {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://log')
    if (pathname === '/evidence/checkpoint') return response.end(checkpointOf(log, signer, time))
    const [from, to] = [Number(searchParams.get('from')), Number(searchParams.get('to'))]
    return response.end(JSON.stringify({ from, to, hashes: proofBetween(log, from, to) }))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const folder = temporaryFolder()
  const words = ['witness', '--log', `http://127.0.0.1:${port}`, '--key', signer.verifier.text]
  const look = () => svc([...words, '--folder', folder, '--once', '--json'])
  return { folder, look, cosigned: () => readFileSync(join(folder, 'checkpoint'), 'utf8') }
}

test('a log that goes on is cosigned, again and again', async () => {
  const { look, cosigned } = await witnessed()
  for (const size of [20, 20, 33, 64]) {
    log = someLog(size, 'first')
    const { code, out, err } = await look()
    expect(code, err).toBe(0)
    const { size: seen, witness, checkpoint } = JSON.parse(out)
    expect(seen).toBe(size)
    expect(checkpoint).toBe(cosigned())
    expect(isSignedBy(parseNote(checkpoint), readVerifierKey(witness))).toBe(true)
    expect(isSignedBy(parseNote(checkpoint), signer.verifier)).toBe(true)
  }
})

test.each([
  ['whose end was cut off', () => log.slice(0, 15), 'its end was cut off'],
  ['whose past was rewritten', () => someLog(20, 'another'), 'the past was rewritten'],
  ['that went on from another past', () => someLog(30, 'another'), 'the past was rewritten'],
])('a log %s is not cosigned, then or later', async (_what, changed, why) => {
  const { look, cosigned } = await witnessed()
  await look()
  const before = cosigned()
  const honest = log
  log = changed()
  for (let again = 0; again < 2; again += 1) {
    const { code, err } = await look()
    expect(code).toBe(1)
    expect(err).toContain(why)
    expect(cosigned()).toBe(before)
  }
  log = honest
  expect((await look()).code).toBe(0)
})

test('a log that answers without end is away, and fills no memory', async () => {
  let sent = 0
  const server = createServer((_request, response) => {
    const piece = 'x'.repeat(64 * 1024)
    const send = () => {
      while (response.writable && response.write(piece)) sent += piece.length
      sent += piece.length
    }
    response.on('drain', send)
    send()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const words = ['witness', '--log', `http://127.0.0.1:${port}`, '--key', signer.verifier.text]
  const { code, err } = await svc([...words, '--folder', temporaryFolder(), '--once'])
  expect(code).toBe(6)
  expect(err).toContain('answers more than 65536 bytes')
  expect(sent).toBeLessThan(64 * 1024 * 1024)
})

test('a customer compares with what was cosigned', async () => {
  const { folder, look } = await witnessed()
  const witness = JSON.parse((await look()).out).witness
  const [stream = ''] = log.map((event) => event.stream)
  const verify = async (shown: PaperLog, since: readonly number[] = [], cosigner = witness) => {
    const checkpoint = checkpointOf(shown, signer, time + 60)
    const file = join(folder, 'evidence.jsonl')
    writeFileSync(file, fileOf(shown, { stream, checkpoint, since }))
    const words = ['verify-evidence', file, '--key', signer.verifier.text, '--json']
    const compared = ['--checkpoint', join(folder, 'checkpoint'), '--witness', cosigner]
    const { code, out } = await svc([...words, ...compared])
    const { verdict, first_broken: broken, not_covered: why } = JSON.parse(out)
    return { code, verdict, what: broken?.what ?? why }
  }
  expect(await verify(someLog(31, 'first'), [20])).toMatchObject({ code: 0, verdict: 'ok' })
  expect(await verify(someLog(31, 'first'))).toMatchObject({ code: 7, verdict: 'not_covered' })
  const stranger = signerKeyText('witness', Buffer.alloc(32, 1), 'cosignature')
  const { text: unknown } = readSignerKey(stranger).verifier
  expect(await verify(someLog(31, 'first'), [20], unknown)).toMatchObject({
    code: 7,
    what: 'no_cosignature',
  })
  expect((await svc(['verify-evidence', 'x', '--key', 'x', '--witness', unknown])).code).toBe(3)
  expect(await verify(log.slice(0, 12))).toMatchObject({ code: 1, what: 'cut' })
  expect(await verify(someLog(31, 'another'), [20])).toMatchObject({ code: 1, what: 'fork' })
})

test('what a stranger has signed is not cosigned', async () => {
  const { look, folder } = await witnessed()
  writeFileSync(join(folder, 'checkpoint'), checkpointOf(log, signer, time))
  const { code, err } = await look()
  expect(code).toBe(1)
  expect(err).toContain('is not what this witness has signed')
})

/** Notes on one account: nothing in them moves a balance. */
function someLog(size: number, what: string): PaperLog {
  const events = Array.from({ length: size }, (_, number): SealedEvent => {
    const data = JSON.stringify({ reason: number < 10 ? what : 'the same', at: number })
    const words = { id: `${number}`, type: 'AccountFrozen', data, metadata: '{}' }
    return { ...words, stream: 'account-acct_1', revision: number, hash: '' }
  })
  return resealed(events)
}
