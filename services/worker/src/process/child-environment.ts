/** The environment of a process that a worker, or its supervisor, starts. */

/** Settings, among them secrets, and what a test runner leaves: none of a child's business. */
const PRIVATE_VARIABLE = /^(SVC_|EVENTSTORE_URL$|REDIS_URL$|KAFKA_BROKERS$|NODE_CHANNEL|VITEST)/

/** @returns what this process has in its environment, without its settings */
export function childEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !PRIVATE_VARIABLE.test(name))
  return Object.fromEntries(inherited)
}
