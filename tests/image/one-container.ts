/** The image alone, as `docker run` starts it. */
import assert from 'node:assert/strict'
import { freePort } from '@svc/testing/free-port'
import type { Checks } from './checks.ts'
import { type Engine, flagsIn } from './engine.ts'
import { SVC_IMAGE } from './images.ts'
import { keyIn, Served } from './served.ts'

const NAME = `svc-image-test-${process.pid}`
const STOP_S = 45

export async function tryOneContainer(engine: Engine, checks: Checks): Promise<void> {
  try {
    await run(engine, checks)
  } finally {
    engine.run('rm', '--force', '--volumes', NAME)
    engine.run('volume', 'rm', '--force', NAME)
  }
}

async function run(engine: Engine, checks: Checks): Promise<void> {
  const port = await freePort()
  const served = new Served(port)
  const limits = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL']
  const flags = [...limits, ...flagsIn('SVC_TEST_RUN_FLAGS')]
  const svc = (...words: string[]) => engine.must('exec', NAME, 'svc', ...words)
  const logs = () => engine.run('logs', NAME).output

  await checks.check('it is ready with a read-only root and a new volume', async () => {
    const mapped = ['--publish', `127.0.0.1:${port}:8080`, '--volume', `${NAME}:/data`]
    engine.must('run', '--detach', '--name', NAME, ...flags, ...mapped, SVC_IMAGE)
    await served.untilReady(logs)
    served.key = keyIn(logs())
    assert.match(logs(), /docker exec CONTAINER svc statement/)
  })
  await checks.check('it is not root, and what it keeps is for its user alone', () => {
    assert.equal(engine.must('exec', NAME, 'id', '-u').trim(), '10001')
    const stat = engine.must('exec', NAME, 'stat', '-c', '%U %a', '/data', '/data/ledger.db')
    assert.deepEqual(stat.trim().split('\n'), ['svc 700', 'svc 600'])
  })
  await checks.check('its health check passes', () => {
    engine.must('exec', NAME, 'node', '/app/infra/image/healthcheck.ts')
    assert.match(engine.must('inspect', SVC_IMAGE), /healthcheck\.ts/)
  })
  await checks.check('its pages were built with the image', async () => {
    const page = await fetch(`${served.url}/dashboard/`)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /<script/)
  })
  await checks.check('it answers, and debits', () => served.paidAnswer())
  await checks.check('svc doctor finds no problem', () => {
    assert.doesNotMatch(svc('doctor'), /PROBLEM/)
  })
  let before = ''
  await checks.check('its balance can be read', async () => {
    before = await served.balance()
  })
  await checks.check('a restart keeps everything', async () => {
    engine.must('restart', '--time', `${STOP_S}`, NAME)
    await served.untilReady(logs)
    assert.equal(await served.balance(), before)
  })
  await checks.check('a kill loses nothing', async () => {
    engine.must('kill', '--signal', 'KILL', NAME)
    engine.must('wait', NAME)
    engine.must('start', NAME)
    await served.untilReady(logs)
    assert.equal(await served.balance(), before)
    assert.match(svc('verify'), /verified/)
  })
  await checks.check('SIGTERM stops it in order', () => {
    engine.must('stop', '--time', `${STOP_S}`, NAME)
    assert.equal(engine.must('wait', NAME).trim(), '0')
  })
  await checks.check('without a volume it says what is missing', () => {
    const { code: ended, output } = engine.run('run', '--rm', ...flags, SVC_IMAGE)
    assert.notEqual(ended, 0)
    assert.match(output, /\/data/)
  })
}
