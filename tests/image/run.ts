/**
 * Builds the image and runs it, alone and by the compose files, and runs tests of Redis, Kafka and
 * event stores on containers; with docker or podman, on loopback only.
 *
 *     npm run test:image
 *     SVC_TEST_BASE_IMAGE=localhost/debian:bookworm-slim      a Debian that the engine has
 *     SVC_TEST_BUILD_FLAGS='--network host'                   more of each build, such as --secret
 *     SVC_TEST_RUN_FLAGS='…'                                  more of each run of the image alone
 *     SVC_TEST_REDIS_IMAGE, SVC_TEST_KAFKA_IMAGE              the public ones, instead of those
 *     SVC_TEST_EVENTSTOREDB_IMAGE                             that are built here
 *
 * Ends with `N passed, N failed`, and with 1 when one failed or there is no engine.
 */
import { Checks } from './checks.ts'
import { tryCluster, tryOneMachine } from './compose.ts'
import { Engine } from './engine.ts'
import { buildCompanions, buildSvc, type Companions } from './images.ts'
import { tryOneContainer } from './one-container.ts'
import { trySuites } from './suites.ts'

const engine = Engine.find()
if (engine === undefined) {
  process.stderr.write('neither docker nor podman answers: the image is not tried\n')
  process.exit(1)
}
const checks = new Checks()
await tryAll(engine)
process.stdout.write(`${checks.summary()}\n`)
process.exitCode = checks.failed === 0 ? 0 : 1

async function tryAll(docker: Engine): Promise<void> {
  // Without a server nothing else can be tried.
  if (!(await checks.check('the image is built', () => buildSvc(docker)))) return
  await tryOneContainer(docker, checks)
  await tryOneMachine(docker, checks)
  let images: Companions | undefined
  await checks.check('images of what it runs beside are there', () => {
    images = buildCompanions(docker)
  })
  if (images === undefined) return
  await tryCluster(docker, checks, images)
  await trySuites(docker, checks, images)
}
