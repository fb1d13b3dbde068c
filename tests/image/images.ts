/** Images that the tests run: that of svc, and of what it runs beside. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readClasspath } from '@svc/testing/kafka/kafka-jars'
import { makeTemporaryFolder } from '@svc/testing/temporary-folder'
import { type Engine, flagsIn } from './engine.ts'

export const SVC_IMAGE = 'localhost/svc-test'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const SUPPORT = fileURLToPath(new URL('../support', import.meta.url))

/** A name for each: a public one where a variable gives it, else of one that is built here. */
export interface Companions {
  readonly redis: string
  readonly kafka: string
  readonly eventStoreDb: string
}

export function buildSvc(engine: Engine): void {
  build(engine, ['--file', 'infra/image/Dockerfile', '--tag', SVC_IMAGE, '.'])
}

/** The image of svc has to be there: the double of EventStoreDB runs on it. */
export function buildCompanions(engine: Engine): Companions {
  return {
    redis: process.env.SVC_TEST_REDIS_IMAGE ?? buildRedis(engine),
    kafka: process.env.SVC_TEST_KAFKA_IMAGE ?? buildKafka(engine),
    eventStoreDb: process.env.SVC_TEST_EVENTSTOREDB_IMAGE ?? buildDouble(engine),
  }
}

function buildRedis(engine: Engine): string {
  const tag = 'localhost/svc-test-redis'
  build(engine, [...fileAndTag('redis', tag), join(HERE, 'companions')])
  return tag
}

function buildKafka(engine: Engine): string {
  const tag = 'localhost/svc-test-kafka'
  const folder = makeTemporaryFolder()
  try {
    const libs = join(folder.path, 'libs')
    mkdirSync(libs)
    for (const jar of readClasspath().split(':')) copyFileSync(jar, join(libs, basename(jar)))
    const start = 'start-kafka.sh'
    copyFileSync(join(HERE, 'companions', start), join(folder.path, start))
    build(engine, [...fileAndTag('kafka', tag), folder.path])
  } finally {
    folder.remove()
  }
  return tag
}

function buildDouble(engine: Engine): string {
  const tag = 'localhost/svc-test-eventstoredb'
  const base = ['--build-arg', `SVC=${SVC_IMAGE}`]
  build(engine, [...fileAndTag('eventstoredb-double', tag), ...base, SUPPORT])
  return tag
}

function fileAndTag(name: string, tag: string): readonly string[] {
  return ['--file', join(HERE, 'companions', `${name}.Dockerfile`), '--tag', tag]
}

function build(engine: Engine, words: readonly string[]): void {
  const base = process.env.SVC_TEST_BASE_IMAGE
  engine.must(
    'build',
    // Without it podman leaves the health check out.
    ...(engine.name === 'podman' ? ['--format', 'docker'] : []),
    ...(base === undefined ? [] : ['--build-arg', `BASE=${base}`]),
    ...flagsIn('SVC_TEST_BUILD_FLAGS'),
    ...words,
  )
}
