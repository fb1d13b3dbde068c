/**
 * Builds the image and runs it, with docker or podman, on loopback only.
 *
 *     npm run test:image
 *     SVC_TEST_BASE_IMAGE=localhost/debian:bookworm-slim      a Debian that the engine has
 *     SVC_TEST_BUILD_FLAGS='--network host'                   more of the build, such as --secret
 *     SVC_TEST_RUN_FLAGS='…'                                  more of each run
 *
 * Ends with `N passed, N failed`, and with 1 when one failed or there is no engine.
 */
import assert from 'node:assert/strict'
import { freePort } from '@svc/testing/free-port'
import { Engine } from './engine.ts'

const IMAGE = 'localhost/svc-test'
const NAME = `svc-image-test-${process.pid}`
const READY_MS = 120_000
const AGAIN_MS = 500
const STOP_S = 45
const KEY = /sk-svc-[\w-]+/
const flagsIn = (name: string) => (process.env[name] ?? '').split(' ').filter((flag) => flag !== '')

const engine = Engine.find()
if (engine === undefined) {
  process.stderr.write('neither docker nor podman answers: the image is not tried\n')
  process.exit(1)
}
const { code, failed } = await tried(engine)
process.exitCode = failed === 0 ? code : 1

async function tried(docker: Engine): Promise<{ code: number; failed: number }> {
  let passed = 0
  let broken = 0
  const check = async (what: string, work: () => unknown) => {
    const startedMs = performance.now()
    try {
      await work()
      passed += 1
      process.stdout.write(`ok    ${what} (${Math.round(performance.now() - startedMs)} ms)\n`)
    } catch (error) {
      broken += 1
      process.stdout.write(`FAIL  ${what}: ${error instanceof Error ? error.message : error}\n`)
    }
  }
  try {
    await check('the image is built', () => built(docker))
    // Without a server nothing else can be tried.
    if (broken === 0) await tryRuns(docker, check)
  } finally {
    docker.run('rm', '--force', '--volumes', NAME)
    docker.run('volume', 'rm', '--force', NAME)
  }
  process.stdout.write(`${passed} passed, ${broken} failed\n`)
  return { code: 0, failed: broken }
}

function built(docker: Engine): void {
  const base = process.env.SVC_TEST_BASE_IMAGE
  docker.must(
    'build',
    // Without it podman leaves the health check out.
    ...(docker.name === 'podman' ? ['--format', 'docker'] : []),
    ...(base === undefined ? [] : ['--build-arg', `BASE=${base}`]),
    ...flagsIn('SVC_TEST_BUILD_FLAGS'),
    ...['--file', 'infra/image/Dockerfile', '--tag', IMAGE, '.'],
  )
}

type Check = (what: string, work: () => unknown) => Promise<void>

async function tryRuns(docker: Engine, check: Check): Promise<void> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const limits = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL']
  const flags = [...limits, ...flagsIn('SVC_TEST_RUN_FLAGS')]
  const svc = (...words: string[]) => docker.must('exec', NAME, 'svc', ...words)
  let key = ''

  await check('it is ready with a read-only root and a new volume', async () => {
    const mapped = ['--publish', `127.0.0.1:${port}:8080`, '--volume', `${NAME}:/data`]
    docker.must('run', '--detach', '--name', NAME, ...flags, ...mapped, IMAGE)
    await ready(url, docker)
    key = KEY.exec(docker.must('logs', NAME))?.[0] ?? ''
    assert.notEqual(key, '', 'its log names no key')
  })
  await check('it is not root, and what it keeps is for its user alone', () => {
    assert.equal(docker.must('exec', NAME, 'id', '-u').trim(), '10001')
    const stat = docker.must('exec', NAME, 'stat', '-c', '%U %a', '/data', '/data/ledger.db')
    assert.deepEqual(stat.trim().split('\n'), ['svc 700', 'svc 600'])
  })
  await check('its health check passes', () => {
    docker.must('exec', NAME, 'node', '/app/infra/image/healthcheck.ts')
    assert.match(docker.must('inspect', IMAGE), /healthcheck\.ts/)
  })
  await check('its pages were built with the image', async () => {
    const page = await fetch(`${url}/dashboard/`)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /<script/)
  })
  await check('it answers, and debits', () => paidAnswer(url, key))
  await check('svc doctor finds no problem', () => {
    assert.doesNotMatch(svc('doctor'), /PROBLEM/)
  })
  let before = ''
  await check('its balance can be read', async () => {
    before = await balanceOf(url, key)
  })
  await check('a restart keeps everything', async () => {
    docker.must('restart', '--time', `${STOP_S}`, NAME)
    await ready(url, docker)
    assert.equal(await balanceOf(url, key), before)
  })
  await check('a kill loses nothing', async () => {
    docker.must('kill', '--signal', 'KILL', NAME)
    docker.must('wait', NAME)
    docker.must('start', NAME)
    await ready(url, docker)
    assert.equal(await balanceOf(url, key), before)
    assert.match(svc('verify'), /verified/)
  })
  await check('SIGTERM stops it in order', () => {
    docker.must('stop', '--time', `${STOP_S}`, NAME)
    assert.equal(docker.must('wait', NAME).trim(), '0')
  })
  await check('without a volume it says what is missing', () => {
    const { code: ended, output } = docker.run('run', '--rm', ...flags, IMAGE)
    assert.notEqual(ended, 0)
    assert.match(output, /\/data/)
  })
}

async function ready(url: string, docker: Engine): Promise<void> {
  const untilMs = performance.now() + READY_MS
  for (;;) {
    const status = await fetch(`${url}/readyz`).then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === 200) return
    if (performance.now() > untilMs) {
      throw new Error(`not ready (${status}): ${docker.run('logs', NAME).output.slice(-2_000)}`)
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
}

async function paidAnswer(url: string, key: string): Promise<void> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'svc-beta',
      max_tokens: 16,
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
    }),
  })
  assert.equal(answer.status, 200)
  assert.notEqual(answer.headers.get('x-svc-cost'), null)
}

async function balanceOf(url: string, key: string): Promise<string> {
  const answer = await fetch(`${url}/v1/balance`, { headers: { authorization: `Bearer ${key}` } })
  return JSON.stringify(await answer.json())
}
