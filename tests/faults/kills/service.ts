/**
 * The service with every role as a process of its own: two gateways without views, a projector, a
 * relay, a sweeper, two workers, and what they share: an event store, a Redis and a Kafka.
 */
import { join } from 'node:path'
import { type LineProcess, runProgram } from '@svc/testing/child-process'
import { freePort } from '@svc/testing/free-port'
import { KafkaCluster } from '@svc/testing/kafka/kafka-cluster'
import { type RedisServer, startRedisServer } from '@svc/testing/redis/redis-server'
import { makeTemporaryFolder, type TemporaryFolder } from '@svc/testing/temporary-folder'
import { DoubleThread } from '../../eventstore/double-thread.ts'
import { RoleProcess, WorkerProcess } from '../../eventstore/role-process.ts'
import type { Victim, VictimKind } from './victim.ts'

const WORKER = new URL('../../support/scripted-worker/scripted-worker.ts', import.meta.url)
export const TOPIC = 'svc.ledger'
export const PARTITIONS = 4
const TOKENS = 16
const TOKEN_DELAY_MS = 5
/** Short, so that a gateway can be away for longer and another process ends its requests. */
const DEADLINE_MS = 5_000
const SETTLING_MS = 1_000
const START_TRIES = 20
const START_AGAIN_MS = 500
const GIVEN_UP = [
  // The event store died in the middle of the start.
  'Error: ended (6)',
  // While the process was dead its port was free for everybody.
  'is taken: choose another',
]
const SAID_CHARACTERS = 4_000

export interface ServiceOptions {
  readonly brokers: number
  /** Of what the double of the event store leaves to chance. */
  readonly seed: number
  /** Workers run the bundled model; else they are scripted. */
  readonly realModel: boolean
}

export class Service {
  readonly gateways: readonly [RoleProcess, RoleProcess]
  readonly projector: RoleProcess
  readonly relay: RoleProcess
  readonly victims: readonly Victim[]
  readonly kafka: KafkaCluster
  readonly #folder: TemporaryFolder
  readonly #store: DoubleThread
  readonly #redis: RedisServer
  readonly #roles: readonly RoleProcess[]
  readonly #endWithUs = (): void => {
    for (const { kill } of this.victims) void kill()
    this.#folder.remove()
  }

  private constructor(parts: Parts) {
    const { folder, store, redis, kafka, roles, workers } = parts
    this.#folder = folder
    this.#store = store
    this.#redis = redis
    this.kafka = kafka
    this.gateways = roles.gateways
    this.projector = roles.projector
    this.relay = roles.relay
    this.#roles = [...roles.gateways, roles.projector, roles.relay, roles.sweeper]
    this.victims = [
      ...roles.gateways.map((gateway, at) => victimRole('gateway', `gateway-${at + 1}`, gateway)),
      victimRole('projector', 'projector', roles.projector),
      victimRole('relay', 'relay', roles.relay),
      victimRole('sweeper', 'sweeper', roles.sweeper),
      ...workers,
      victim('store', 'store', store.switches.kill, store.switches.restart),
      victim(
        'redis',
        'redis',
        () => redis.kill(),
        () => redis.restart(),
      ),
      ...kafka.brokers.map((broker, at) =>
        victim(
          'kafka',
          `broker-${at + 1}`,
          () => broker.kill(),
          () => broker.start(),
        ),
      ),
    ]
    process.once('exit', this.#endWithUs)
  }

  /** Resolves when all of it is at work. */
  static async start(options: ServiceOptions): Promise<Service> {
    const service = new Service(await openParts(options))
    try {
      const ofKind = (...kinds: readonly VictimKind[]) =>
        service.victims.filter(({ kind }) => kinds.includes(kind))
      await Promise.all(ofKind('worker').map((worker) => worker.start()))
      // On an empty log the first gateway makes what a newcomer needs.
      const [first, ...others] = ofKind('gateway', 'projector', 'relay', 'sweeper')
      await first?.start()
      await Promise.all(others.map((role) => role.start()))
    } catch (error) {
      await service.close()
      throw error
    }
    return service
  }

  /** All that the roles have said, for whoever has to find out what went wrong. */
  get said(): string {
    const told = this.#roles.filter(({ said }) => said !== '')
    return told.map(({ url, said }) => `${url}: ${said.slice(-SAID_CHARACTERS)}`).join('\n')
  }

  async close(): Promise<void> {
    process.removeListener('exit', this.#endWithUs)
    const processes = this.victims.filter(({ kind }) => !['store', 'redis', 'kafka'].includes(kind))
    await Promise.all(processes.map(({ kill }) => kill()))
    await Promise.all([this.#store.stop(), this.#redis.close(), this.kafka.close()])
    this.#folder.remove()
  }
}

interface Parts {
  readonly folder: TemporaryFolder
  readonly store: DoubleThread
  readonly redis: RedisServer
  readonly kafka: KafkaCluster
  readonly workers: readonly Victim[]
  readonly roles: Roles
}

interface Roles {
  readonly gateways: readonly [RoleProcess, RoleProcess]
  readonly projector: RoleProcess
  readonly relay: RoleProcess
  readonly sweeper: RoleProcess
}

/** The processes of the service itself are not started yet. */
async function openParts({ brokers, seed, realModel }: ServiceOptions): Promise<Parts> {
  const folder = makeTemporaryFolder()
  const kafka = await KafkaCluster.start({ brokers })
  const store = await DoubleThread.start(seed)
  const redis = await startRedisServer()
  const names = ['worker-1', 'worker-2']
  const sockets = names.map((name) => join(folder.path, `${name}.sock`))
  const workers = names.map((name) =>
    realModel ? realWorker(folder.path, name) : scriptedWorker(folder.path, name),
  )
  const environment = {
    EVENTSTORE_URL: store.url,
    REDIS_URL: redis.url,
    SVC_VIEWS_SECRET: 'a secret of gateways and projectors',
    SVC_CONTENT_SECRET: 'a secret of all the gateways',
    SVC_REQUEST_DEADLINE_MS: `${DEADLINE_MS}`,
    SVC_SETTLING_ALLOWANCE_MS: `${SETTLING_MS}`,
    // What they say then is of themselves, and should be little.
    SVC_REQUEST_LOG: 'off',
  }
  const roleOf = async (role: string, name: string, more = {}) =>
    new RoleProcess({
      role,
      dataDir: join(folder.path, name),
      port: await freePort(),
      environment: { ...environment, ...more },
    })
  const projector = await roleOf('projector', 'projector')
  const ofGateway = {
    SVC_VIEWS_URL: projector.url,
    SVC_WORKER_URLS: sockets.map((path) => `unix:${path}`).join(','),
  }
  const ofRelay = {
    KAFKA_BROKERS: kafka.addresses.join(','),
    SVC_KAFKA_TOPIC: TOPIC,
    SVC_KAFKA_PARTITIONS: `${PARTITIONS}`,
  }
  const roles = {
    gateways: [
      await roleOf('gateway', 'gateway-1', ofGateway),
      await roleOf('gateway', 'gateway-2', ofGateway),
    ] as const,
    projector,
    relay: await roleOf('relay', 'relay', ofRelay),
    sweeper: await roleOf('sweeper', 'sweeper'),
  }
  return { folder, store, redis, kafka, workers, roles }
}

function victim(
  kind: VictimKind,
  name: string,
  kill: () => Promise<void>,
  start: () => Promise<void>,
): Victim {
  return { kind, name, kill, start, lastWords: () => undefined }
}

function victimRole(kind: VictimKind, name: string, role: RoleProcess): Victim {
  return {
    ...victim(
      kind,
      name,
      () => role.kill(),
      () => superviseStart(role),
    ),
    lastWords: () => (role.hasEnded ? role.said : undefined),
  }
}

/** As a supervisor does: a start that was given up is made again; one that was killed is not. */
async function superviseStart(role: RoleProcess): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await role.start()
    } catch (error) {
      const isGivenUp = GIVEN_UP.some((words) => String(error).includes(words))
      if (tries === START_TRIES || !isGivenUp) throw error
      await new Promise((resolve) => setTimeout(resolve, START_AGAIN_MS))
    }
  }
}

function realWorker(folder: string, name: string): Victim {
  const worker = new WorkerProcess(folder, name)
  return victim(
    'worker',
    name,
    () => worker.kill(),
    () => worker.start(),
  )
}

function scriptedWorker(folder: string, name: string): Victim {
  let running: LineProcess | undefined
  const words = {
    socket: join(folder, `${name}.sock`),
    'worker-id': name,
    tokens: `${TOKENS}`,
    'delay-ms': `${TOKEN_DELAY_MS}`,
  }
  const flags = Object.entries(words).flatMap(([word, value]) => [`--${word}`, value])
  return victim(
    'worker',
    name,
    async () => {
      running?.child.kill('SIGKILL')
      await running?.ended
    },
    async () => {
      running = runProgram(WORKER, flags)
      await running.printed(1)
    },
  )
}
