/** `svc backup` beside paid requests, and a server on what it wrote. */
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientAnswer } from '@svc/testing/checker/history'
import { svc } from '@svc/testing/run-svc'
import { startRunningServer } from '@svc/testing/running-server'
import { temporaryFolder } from '@svc/testing/temporary-folder'
import { withoutModel } from '@svc/testing/without-model'
import { expect, test } from 'vitest'
import { Audit } from '../torture/audit.ts'

const BEFORE = 8
const BACKUPS = 3
const CLIENTS = 4

test('a server on a backup has everything that was told before it, and its books are whole', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const into = join(temporaryFolder(), 'backups')
  const model = await withoutModel({ tokens: 2, delayMs: 20 })
  const environment = { ...model, SVC_BACKUP_DIR: into }
  const server = await startRunningServer(environment, dataDir)
  const told: Answer[] = []
  while (told.length < BEFORE) told.push(await ask(server.ready, told.length))
  let isAsking = true
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (isAsking) told.push(await ask(server.ready, told.length))
  })
  const backups: { folder: string; toldBefore: Answer[] }[] = []
  while (backups.length < BACKUPS) {
    const toldBefore = [...told]
    const { code, out, err } = await svc(['backup', '--data-dir', dataDir])
    expect(code, err).toBe(0)
    backups.push({ folder: out.trim(), toldBefore })
  }
  isAsking = false
  await Promise.all(clients)
  expect(told.length).toBeGreaterThan(BEFORE)
  expect(told.every(({ status }) => status === 200)).toBe(true)
  expect(await new Audit().check(server.operations, told)).toEqual([])
  const { apiKey } = server.ready
  expect(await server.process.stop()).toEqual({ code: 0, signal: null })

  for (const { folder, toldBefore } of backups) {
    const restored = join(temporaryFolder(), 'data')
    cpSync(folder, restored, { recursive: true })
    expect(existsSync(join(restored, 'views'))).toBe(false)
    expect(await doctorSays(restored)).toContain('a backup of')
    const again = await startRunningServer({ ...model, SVC_LOG_LEVEL: 'warn' }, restored)
    expect(await new Audit().check(again.operations, toldBefore)).toEqual([])
    expect(await ask({ ...again.ready, apiKey }, 0)).toMatchObject({ status: 200 })
    expect(await again.process.stop()).toEqual({ code: 0, signal: null })
    // The log of a backup cannot know what was erased after it.
    expect(again.process.stderr).toContain('started on a backup, erase')
    expect(await doctorSays(restored)).not.toContain('a backup of')
    expect(existsSync(join(restored, 'backup.json'))).toBe(false)
  }
})

async function doctorSays(dataDir: string): Promise<string> {
  const { out } = await svc(['--data-dir', dataDir, 'doctor'], { environment: { SVC_PORT: '0' } })
  return out
}

interface Answer extends ClientAnswer {
  readonly status: number
}

interface Asked {
  readonly baseUrl: string
  readonly apiKey?: string | undefined
}

async function ask({ baseUrl, apiKey }: Asked, index: number): Promise<Answer> {
  const answer = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({
      model: 'svc-beta',
      max_tokens: 2,
      messages: [{ role: 'user', content: `Hello ${index}` }],
    }),
  })
  const body = (await answer.json()) as { usage?: Record<string, number> }
  return {
    requestId: answer.headers.get('x-request-id') ?? '',
    status: answer.status,
    usage: {
      inputTokens: body.usage?.prompt_cache_miss_tokens ?? 0,
      cachedInputTokens: body.usage?.prompt_cache_hit_tokens ?? 0,
      outputTokens: body.usage?.completion_tokens ?? 0,
    },
  }
}
