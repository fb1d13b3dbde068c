/** What the doctor says of models. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { demoModelPath } from '@svc/infra/demo-model/demo-model'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { expect, test } from 'vitest'
import { readSettings } from '../settings/settings.ts'
import { lookAtModels } from './models.ts'

async function found(environment: Record<string, string>): Promise<readonly string[]> {
  const said: string[] = []
  for await (const { check, state, says } of lookAtModels(readSettings(environment))) {
    said.push(`${check} ${state}: ${says}`)
  }
  return said
}

test('a file is what a start would refuse, or is well', async () => {
  const bad = join(temporaryFolder(), 'bad.gguf')
  writeFileSync(bad, 'no model')
  const standby = `${bad},${demoModelPath}`
  const said = await found({ SVC_MODEL: '/nope.gguf', SVC_STANDBY_MODELS: standby })
  expect(said).toEqual([
    'model problem: the model file does not exist: /nope.gguf',
    expect.stringMatching(/^standby model \S+ problem: .*it is no GGUF file/),
    expect.stringMatching(/^standby model \S+ ok: \S+, a GGUF file of \d+ MiB$/),
  ])
})

test('whatever is no file is told as what it is', async () => {
  const hub = 'hf:ada/letters:Q4_K_M'
  expect(await found({ SVC_STANDBY_MODELS: hub })).toEqual([
    expect.stringMatching(/^model ok: the bundled toy/),
    expect.stringContaining(`ok: ${hub}: a start downloads it`),
  ])
  expect(await found({ EVENTSTORE_URL: 'esdb://127.0.0.1:2113' })).toEqual([
    expect.stringMatching(/^model ok: the bundled toy: .* on a gateway; .* loads no model$/),
  ])
  expect(await found({ SVC_WORKER_URLS: 'unix:/w.sock' })).toEqual([
    expect.stringMatching(/^model ok: none is loaded here/),
  ])
})
