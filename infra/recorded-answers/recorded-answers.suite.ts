/** What every store of recorded answers must do. */
import type { RecordedAnswer, RecordedAnswers } from '@svc/contracts/recorded-answers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

export const noon = 1_800_000_000_000
export const answer: RecordedAnswer = {
  status: 200,
  contentType: 'text/event-stream',
  body: 'data: {"text":"Grüße 🦀 \\u0000"}\n\ndata: [DONE]\n\n',
}

/** @param make opens an empty store that keeps at most so many bytes */
export function describeRecordedAnswers(
  name: string,
  make: (maxTotalBytes: number) => RecordedAnswers,
): void {
  describe(`${name} as a store of recorded answers`, () => {
    let answers: RecordedAnswers
    beforeEach(() => {
      answers = make(100_000)
    })
    afterEach(() => answers.close())

    test('gives an answer back to its account and request, and to no other', async () => {
      await answers.save('acct_1', 'req_1', answer, noon + 1)
      expect(await answers.load('acct_1', 'req_1', noon)).toEqual(answer)
      expect(await answers.load('acct_2', 'req_1', noon)).toBeUndefined()
      expect(await answers.load('acct_1', 'req_2', noon)).toBeUndefined()
    })

    test('gives back the last of several for one request', async () => {
      await answers.save('acct_1', 'req_1', answer, noon + 1)
      await answers.save('acct_1', 'req_1', { ...answer, status: 503 }, noon + 1)
      expect(await answers.load('acct_1', 'req_1', noon)).toEqual({ ...answer, status: 503 })
    })

    test('does not give back what has expired by then', async () => {
      await answers.save('acct_1', 'req_1', answer, noon)
      expect(await answers.load('acct_1', 'req_1', noon - 1)).toEqual(answer)
      expect(await answers.load('acct_1', 'req_1', noon)).toBeUndefined()
    })

    test('removes what has expired, at most so many at a time', async () => {
      for (let at = 0; at < 5; at += 1) await answers.save('acct_1', `old_${at}`, answer, noon)
      await answers.save('acct_1', 'new', answer, noon + 1)
      expect(await answers.removeExpired(noon, 3)).toBe(3)
      expect(await answers.removeExpired(noon, 3)).toBe(2)
      expect(await answers.removeExpired(noon, 3)).toBe(0)
      expect(await answers.load('acct_1', 'new', noon)).toEqual(answer)
    })

    test('keeps a bounded number of bytes: the oldest give way', async () => {
      const large = { ...answer, body: 'x'.repeat(9_000) }
      for (let at = 0; at < 30; at += 1) {
        await answers.save('acct_1', `req_${at}`, large, noon + 1)
      }
      const kept: number[] = []
      for (let at = 0; at < 30; at += 1) {
        if ((await answers.load('acct_1', `req_${at}`, noon)) !== undefined) kept.push(at)
      }
      expect(kept.at(-1)).toBe(29)
      expect(kept.length * 9_000).toBeLessThanOrEqual(100_000)
      expect(kept.length).toBeGreaterThan(8)
      expect(kept).toEqual(Array.from(kept, (_, at) => 30 - kept.length + at))
    })

    test('counts what it removed and replaced as free', async () => {
      const large = { ...answer, body: 'x'.repeat(9_000) }
      for (let at = 0; at < 50; at += 1) await answers.save('acct_1', 'same', large, noon)
      await answers.removeExpired(noon, 10)
      for (let at = 0; at < 9; at += 1) await answers.save('acct_1', `r_${at}`, large, noon + 1)
      expect(await answers.load('acct_1', 'r_0', noon)).toEqual(large)
    })

    test('does not keep an answer that would push out most of the others', async () => {
      await answers.save('acct_1', 'req_1', answer, noon + 1)
      await answers.save('acct_1', 'req_2', { ...answer, body: 'x'.repeat(50_000) }, noon + 1)
      expect(await answers.load('acct_1', 'req_2', noon)).toBeUndefined()
      expect(await answers.load('acct_1', 'req_1', noon)).toEqual(answer)
    })

    test('is closed once, however often it is asked', async () => {
      await answers.close()
      await answers.close()
    })
  })
}
