import { expect, test } from 'vitest'
import { PROGRESS_MS, tellProgress } from './model-progress.ts'

test('progress is told once a second, and nothing of what is done sooner', () => {
  const told: unknown[] = []
  let nowMs = -9999
  const tell = tellProgress(
    'loading the model',
    'm',
    (_level, message, fields) => void told.push([message, fields]),
    () => nowMs,
  )
  for (nowMs = 0; nowMs < PROGRESS_MS; nowMs += 100) tell(nowMs, 1e9)
  expect(told).toEqual([])
  tell(1000.4, 1e9)
  tell(1001, 1e9)
  nowMs += PROGRESS_MS
  tell(2000, 1e9)
  expect(told).toEqual([
    ['loading the model', { progress: { model: 'm', doneBytes: 1000, totalBytes: 1e9 } }],
    ['loading the model', { progress: { model: 'm', doneBytes: 2000, totalBytes: 1e9 } }],
  ])
})
