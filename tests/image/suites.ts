/** Tests of Redis, Kafka and event stores, on servers in containers that testcontainers starts. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { TestContainer } from '@svc/testing/containers/test-container'
import { freePort } from '@svc/testing/free-port'
import { isLive } from '../eventstore/live.ts'
import type { Checks } from './checks.ts'
import type { Engine } from './engine.ts'
import type { Companions } from './images.ts'

const SOCKET = join(tmpdir(), `svc-engine-${process.pid}.sock`)
const SOCKET_WITHIN_MS = 30_000
const VITEST_MS_MAX = 3_600_000
/**
 * What a container as a place is for: ports by every adapter, with servers that are broken. All
 * faults of brokers are tried on processes, which start sooner.
 */
const SUITES = [
  'tests/support/redis',
  'infra/prefix-store/redis',
  'infra/expiring-store/redis',
  'infra/rate-limits/redis',
  'infra/bus/kafka/kafka-bus.int.test.ts',
]
const EVENT_STORE_SUITE = 'infra/event-store/eventstoredb/tests/compliance-on-server.int.test.ts'

export async function trySuites(engine: Engine, checks: Checks, images: Companions) {
  const service = await engineService(engine)
  try {
    // The container that removes what is left over is an image of a registry.
    Object.assign(process.env, { TESTCONTAINERS_RYUK_DISABLED: 'true' }, service.environment)
    await checks.check('the tests of Redis and Kafka pass on containers', () => {
      const { redis, kafka } = images
      vitest(SUITES, { SVC_TEST_REDIS_IMAGE: redis, SVC_TEST_KAFKA_IMAGE: kafka })
    })
    // The crash suite as well needs a server whose log outlives its process: the double's does not.
    await checks.check('the compliance suite of event stores passes on a container', async () => {
      const port = await freePort()
      const url = `esdb://127.0.0.1:${port}?tls=false`
      const command = ['--port', `${port}`, '--health']
      const store = new TestContainer({ image: images.eventStoreDb, command })
      try {
        await store.start()
        await isLive(url)
        vitest([EVENT_STORE_SUITE], { SVC_TEST_EVENTSTORE_URL: url })
      } finally {
        await store.remove()
      }
    })
  } finally {
    service.end()
  }
}

function vitest(files: readonly string[], environment: Readonly<Record<string, string>>): void {
  const words = ['run', '--project', 'integration', ...files, '--no-file-parallelism']
  const { status } = spawnSync('vitest', words, {
    stdio: 'inherit',
    timeout: VITEST_MS_MAX,
    env: { ...process.env, ...environment },
  })
  if (status !== 0) throw new Error(`vitest ended with ${status}`)
}

interface EngineService {
  readonly environment: Readonly<Record<string, string>>
  end(): void
}

/** Docker has one. Podman speaks the same while it is told to. */
async function engineService({ name }: Engine): Promise<EngineService> {
  if (name === 'docker') return { environment: {}, end() {} }
  const words = ['system', 'service', '--time=0', `unix://${SOCKET}`]
  const service: ChildProcess = spawn('podman', words, { stdio: 'ignore' })
  const untilMs = performance.now() + SOCKET_WITHIN_MS
  while (!existsSync(SOCKET) && performance.now() < untilMs) await delay(50)
  return {
    environment: { DOCKER_HOST: `unix://${SOCKET}`, TESTCONTAINERS_HOST_OVERRIDE: '127.0.0.1' },
    end() {
      service.kill()
      rmSync(SOCKET, { force: true })
    },
  }
}
