import { expect, test } from 'vitest'
import { Progress } from './progress.ts'

test('once a minute it is told how many histories, how fast, and how many failed', () => {
  const lines: string[] = []
  let nowMs = 5_000
  const progress = new Progress({ write: (line) => void lines.push(line), nowMs: () => nowMs })
  for (let seed = 100; seed < 400; seed += 1) {
    nowMs += 500
    progress.note({ seed, problems: seed === 130 ? ['I1 a breach'] : [] })
  }
  expect(lines).toEqual([
    '120 histories, 2.0 a second, 1 failed, at seed 219\n',
    '240 histories, 2.0 a second, 1 failed, at seed 339\n',
  ])
})
