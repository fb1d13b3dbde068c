/**
 * For tests: the jars of a Kafka broker, as Maven brings them. Nothing is built, and nothing is
 * downloaded by ourselves. Run as a program it only brings them.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runToEnd } from '../bounded-run.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
/** Beside what Node compiled. */
const CACHE = fileURLToPath(new URL('../../../.cache/', import.meta.url))
/** 45 MB, over a slow line. */
const BROUGHT_WITHIN_MS = 600_000
/** 4.3.1 and 4.4.0 were tried. */
const VERSION = process.env.SVC_TEST_KAFKA_VERSION ?? '4.4.0'

/** Asks Maven once; it is quick afterwards, and needs no net as long as all jars are there. */
export function readClasspath(): string {
  mkdirSync(CACHE, { recursive: true })
  const cache = join(CACHE, `kafka-classpath-${VERSION}.txt`)
  const cached = existsSync(cache) ? readFileSync(cache, 'utf8') : ''
  if (cached !== '' && cached.split(':').every((jar) => existsSync(jar))) return cached
  const done = runToEnd(
    'mvn',
    [
      '-q',
      '-B',
      '-f',
      join(HERE, 'pom.xml'),
      `-Dkafka.version=${VERSION}`,
      'dependency:build-classpath',
      '-DincludeScope=runtime',
      `-Dmdep.outputFile=${cache}`,
    ],
    { timeout: BROUGHT_WITHIN_MS },
  )
  if (done.status !== 0) throw new Error(`Maven brought no Kafka:\n${done.stdout}${done.stderr}`)
  return readFileSync(cache, 'utf8')
}

if (import.meta.main) readClasspath()
