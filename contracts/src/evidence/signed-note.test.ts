import { expect, test } from 'vitest'
import { checkpointText, openCheckpoint, parseCheckpoint } from './checkpoint.ts'
import { rotationNote, trustedKeys } from './key-rotation.ts'
import { EMPTY_ROOT } from './merkle-tree.ts'
import {
  cosignNote,
  hasSignatureOf,
  isSignedBy,
  isSignerKey,
  NoteError,
  parseNote,
  readLogKey,
  readSignerKey,
  readVerifierKey,
  signerKeyText,
  signNote,
} from './signed-note.ts'

const seedOf = (byte: number) => Buffer.alloc(32, byte)
const signerOf = (byte: number, name = 'svc/log') =>
  readSignerKey(signerKeyText(name, seedOf(byte)))
const one = signerOf(1)
const two = signerOf(2)
const text = checkpointText({ origin: 'svc/log', size: 0, root: EMPTY_ROOT, time: 1_763_841_600 })

/** The example of Go's package golang.org/x/mod/sumdb/note. */
const goKey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const goNote =
  'If you think cryptography is the answer to your problem,\n' +
  "then you don't know what your problem is.\n\n" +
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'

test('a note that another program signed is read and verified', () => {
  expect(isSignedBy(parseNote(goNote), readVerifierKey(goKey))).toBe(true)
  const altered = goNote.replace('answer', 'Answer')
  expect(isSignedBy(parseNote(altered), readVerifierKey(goKey))).toBe(false)
})

test('a checkpoint is opened with a key of the log, and with no other', () => {
  const note = signNote(text, one)
  expect(openCheckpoint(note, [one.verifier])).toMatchObject({ size: 0, time: 1_763_841_600 })
  expect(() => openCheckpoint(note, [two.verifier])).toThrow('not signed with the key')
  const stranger = signerOf(3, 'svc/other')
  expect(() => openCheckpoint(signNote(text, stranger), [stranger.verifier])).toThrow('another log')
})

test.each([
  ['', 'no signed note'],
  [text, 'no signed note'],
  [`${text}\n`, 'damaged'],
  [`${text}\n— svc/log AAAA\n`, 'damaged'],
  [`${text}\n- svc/log AAAAAAAA\n`, 'damaged'],
  [signNote(text, one).slice(0, -1), 'no signed note'],
  [signNote(text, one).replace(/=\n$/, '\n'), 'damaged'],
  [`${text}\n${'— a AAAAAAAA\n'.repeat(101)}`, 'too many'],
  [signNote(`${text}\t\n`, one), 'no signed note'],
  [signNote(`${text}\ufffd\n`, one).replace('\ufffd', '\ud800'), 'no signed note'],
  [signNote(`${text}${'ü'.repeat(32 * 1024)}\n`, one), 'no signed note'],
])('note %# is refused', (note, problem) => {
  expect(() => parseNote(note)).toThrow(problem)
})

test('a text that is no checkpoint is refused', () => {
  const parse = (content: string) => parseCheckpoint(parseNote(signNote(content, one)))
  expect(() => parse('svc/log\n01\nAAAA\n')).toThrow(NoteError)
  expect(() => parse(text.replace('time ', 'tide '))).toThrow(NoteError)
})

test('a witness signs the time along with the text', () => {
  const witness = readSignerKey(signerKeyText('witness', seedOf(9), 'cosignature'))
  const note = signNote(text, one) + cosignNote(text, 1_763_841_660, witness)
  const key = readVerifierKey(witness.verifier.text)
  expect(isSignedBy(parseNote(note), key)).toBe(true)
  expect(isSignedBy(parseNote(note), one.verifier)).toBe(true)
  const later = signNote(text, one) + cosignNote(text.replace('\n0\n', '\n1\n'), 1, witness)
  expect(isSignedBy(parseNote(later), key)).toBe(false)
})

test('every signature of a key has to hold, and is of its name', () => {
  const line = (note: string) => note.slice(note.lastIndexOf('\n\n') + 2)
  const whole = signNote(text, one)
  const other = line(signNote(`${text}more\n`, one))
  expect(isSignedBy(parseNote(whole + line(whole)), one.verifier)).toBe(true)
  expect(isSignedBy(parseNote(whole + other), one.verifier)).toBe(false)
  const renamed = parseNote(whole.replace('— svc/log', '— svc/other'))
  expect(hasSignatureOf(renamed, one.verifier)).toBe(false)
  expect(hasSignatureOf(parseNote(whole), one.verifier)).toBe(true)
  expect(hasSignatureOf(parseNote(whole), two.verifier)).toBe(false)
})

test('a cosignature is a time and a signature, and no more', () => {
  const witness = readSignerKey(signerKeyText('witness', seedOf(9), 'cosignature'))
  const [cosignature] = parseNote(`${text}\n${cosignNote(text, 5, witness)}`).signatures
  const bytes = cosignature?.bytes ?? Buffer.alloc(0)
  for (const length of [4, 71, 73]) {
    const sized = Buffer.concat([
      Buffer.from(witness.verifier.keyId, 'hex'),
      bytes,
      Buffer.alloc(1),
    ])
    const encoded = sized.subarray(0, 4 + length).toString('base64')
    const note = parseNote(`${text}\n— witness ${encoded}\n`)
    expect(hasSignatureOf(note, witness.verifier)).toBe(true)
    expect(isSignedBy(note, witness.verifier)).toBe(false)
  }
})

test('a key is whole, alone, and of an algorithm that is known', () => {
  const signer = signerKeyText('svc/log', seedOf(1))
  const { text: key } = one.verifier
  expect([isSignerKey(signer), isSignerKey(` ${signer}\n`), isSignerKey(key)]).toEqual([
    true,
    true,
    false,
  ])
  expect(isSignerKey(signerKeyText('witness', seedOf(1), 'cosignature'))).toBe(false)
  expect(readVerifierKey(` ${key}\n`).text).toBe(key)
  for (const read of [readVerifierKey, readLogKey]) {
    expect(() => read(`a ${key}`)).toThrow(NoteError)
    expect(() => read(`${key}a`)).toThrow(NoteError)
  }
  expect(() => readSignerKey(`a${signer}`)).toThrow(NoteError)
  expect(() => readSignerKey(`${signer}a`)).toThrow(NoteError)
  expect(() => readSignerKey(signer.replace(/[0-9a-f]{8}/, '00000000'))).toThrow('does not fit')
  expect(() => readVerifierKey(key.replace('+A', '+B'))).toThrow('not of Ed25519')
  expect(() => readVerifierKey(key.replace(/.{2}$/, '=='))).toThrow('wrong length')
  expect(() => signerKeyText('svc/log', Buffer.alloc(31))).toThrow('32 bytes')
})

test('whoever trusts a key trusts those that it handed over to', () => {
  const three = signerOf(3)
  const rotations = [rotationNote(one, two, 1), rotationNote(two, three, 2)]
  const names = (keys: readonly { text: string }[]) => keys.map((key) => key.text)
  expect(names(trustedKeys(one.verifier, rotations))).toEqual(
    names([one, two, three].map((s) => s.verifier)),
  )
  expect(names(trustedKeys(two.verifier, rotations))).toEqual(
    names([two, three].map((s) => s.verifier)),
  )
  expect(trustedKeys(three.verifier, rotations)).toHaveLength(1)
  const forged = rotationNote(one, three, 1).replace(/— svc\/log [^\n]*\n/, '')
  expect(() => trustedKeys(one.verifier, [forged])).toThrow('does not hold')
})

test.each(['', 'svc/log', 'svc/log+00000000+AAAA', goKey.replace('c74f', 'c74e')])(
  '"%s" is no key',
  (key) => {
    expect(() => readVerifierKey(key)).toThrow(NoteError)
    expect(() => readSignerKey(key)).toThrow(NoteError)
  },
)
