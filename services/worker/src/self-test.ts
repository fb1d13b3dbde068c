/** The test of an engine before it serves. */
import type { OpenEngine } from './engines/engine.ts'
import { selfTestSubject } from './model-identity.ts'
import { type ModelTest, testModel } from './prefix-cache/model-test.ts'
import { withSigns } from './prefix-cache/signs-of-life.ts'
import { findingsIn } from './process/findings.ts'
import type { Log } from './process/log.ts'
import type { WorkerSettings } from './settings/worker-settings.ts'

/**
 * Tests the engine, or confirms what an earlier start has remembered of its test.
 *
 * @param nowMs milliseconds of a clock that only goes forward
 */
export function testEngine(
  { engine, facts }: Awaited<ReturnType<OpenEngine>>,
  settings: Pick<WorkerSettings, 'findings'>,
  log: Log,
  nowMs: () => number,
): Promise<ModelTest> {
  const findings = findingsIn(settings.findings, log)
  const subject = selfTestSubject(facts, engine)
  return withSigns(log, () => testModel(engine, subject, findings, nowMs))
}
