/** A worker whose answers are long and whose steps can be held back. */
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { bytes } from '../src/engines/scripted/byte-vocabulary.ts'
import type { Script, Step } from '../src/engines/scripted/scripted-engine.ts'
import { TURN_MS } from '../src/scheduling/giving-way.ts'
import { scriptedWorker } from './scripted-worker.ts'

/** What it answers. */
export const LONG = 'a'.repeat(300)
const QUEUE = 64
/** A request of another tenant than the one with the long answers. */
export const SHORT = { tenant: 'b', maxOutputTokens: 2 }

/** A worker whose steps take a moment, and a clock that can be put forward. */
export function slowWorker(script: Script = {}) {
  let aheadMs = 0
  const nowMs = () => performance.now() + aheadMs
  const step = script.step ?? (() => delay(1))
  const made = scriptedWorker({ answer: LONG, ...script, step }, QUEUE, { nowMs })
  /** Whoever runs now has had its turn. */
  const turnPasses = () => {
    aheadMs += TURN_MS
  }
  return { ...made, turnPasses }
}

/** Steps of prompts that begin with this letter wait while the gate is closed. */
export function gateFor(letter: string) {
  const [token] = bytes(letter)
  const gate = Promise.withResolvers<void>()
  onTestFinished(() => gate.resolve())
  let reached = false
  const step = async ({ tokens }: Step) => {
    if (tokens[0] === token) {
      reached = true
      await gate.promise
    }
    await delay(1)
  }
  return { step, open: () => gate.resolve(), isReached: () => reached }
}
