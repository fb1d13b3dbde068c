/**
 * For tests: where the tests of Kafka run. On the brokers that `KAFKA_BROKERS` names, which they
 * may not break; else on brokers of their own: in containers of the image that
 * `SVC_TEST_KAFKA_IMAGE` names, as processes of the machine, or, without Java and Maven, in
 * containers of the public image.
 */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { containerEngineIsHere } from '../containers/test-container.ts'

const PUBLIC_IMAGE = 'apache/kafka:4.1.0'

export function kafkaPlace(): 'given' | 'own' | 'missing' {
  if (process.env.KAFKA_BROKERS) return 'given'
  return runsHere() || kafkaImage() !== undefined ? 'own' : 'missing'
}

/** @returns undefined where brokers of their own are processes */
export function kafkaImage(): string | undefined {
  const named = process.env.SVC_TEST_KAFKA_IMAGE
  if (named) return named
  return !runsHere() && containerEngineIsHere() ? PUBLIC_IMAGE : undefined
}

function runsHere(): boolean {
  return isProgram('java') && isProgram('mvn')
}

function isProgram(name: string): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.some((folder) => existsSync(join(folder, name)))
}
