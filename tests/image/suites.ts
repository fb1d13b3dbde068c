/** The tests of Redis and Kafka, on servers in containers that testcontainers starts. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Checks } from './checks.ts'
import type { Engine } from './engine.ts'
import type { Companions } from './images.ts'

const SOCKET = join(tmpdir(), `svc-engine-${process.pid}.sock`)
const SOCKET_WITHIN_MS = 30_000
/** What a container as a place is for: ports by every adapter, with servers that are broken. */
const SUITES = [
  'tests/support/redis',
  'infra/prefix-store/redis',
  'infra/expiring-store/redis',
  'infra/rate-limits/redis',
  'infra/bus/kafka',
]

export async function trySuites(engine: Engine, checks: Checks, images: Companions) {
  const service = await engineService(engine)
  try {
    await checks.check('the tests of Redis and Kafka pass on containers', () => {
      const environment = {
        SVC_TEST_REDIS_IMAGE: images.redis,
        SVC_TEST_KAFKA_IMAGE: images.kafka,
        // The container that removes what is left over is an image of a registry.
        TESTCONTAINERS_RYUK_DISABLED: 'true',
        ...service.environment,
      }
      const words = ['run', '--project', 'integration', ...SUITES, '--no-file-parallelism']
      const { status } = spawnSync('vitest', words, {
        stdio: 'inherit',
        env: { ...process.env, ...environment },
      })
      if (status !== 0) throw new Error(`vitest ended with ${status}`)
    })
  } finally {
    service.end()
  }
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
