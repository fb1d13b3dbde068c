import { expect, test } from 'vitest'
import { checkpointText, openCheckpoint, parseCheckpoint } from './checkpoint.ts'
import { rotationNote, trustedKeys } from './key-rotation.ts'
import { EMPTY_ROOT } from './merkle-tree.ts'
import {
  cosignNote,
  isSignedBy,
  NoteError,
  parseNote,
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
