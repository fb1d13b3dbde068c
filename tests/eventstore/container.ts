/**
 * A real EventStoreDB in a container: on a disk and with fsync, as it is meant to be run. The tests
 * kill and pause it, so its port is bound to one that stays the same when it starts again.
 */
import { freePort } from '@svc/testing/free-port'
import {
  type ContainerRuntimeClient,
  GenericContainer,
  getContainerRuntimeClient,
  Wait,
} from 'testcontainers'
import { isLive } from './live.ts'
import type { StartedPlace } from './places.ts'
import type { Switches } from './store-under-test.ts'

export const DEFAULT_IMAGE = 'eventstore/eventstore:24.10.5'
const PORT = 2113
/** The image may have to be loaded first. */
const START_TIMEOUT_MS = 300_000

export async function startContainer(image: string): Promise<StartedPlace> {
  const port = await freePort()
  const started = await new GenericContainer(image)
    .withEnvironment({
      EVENTSTORE_INSECURE: 'true',
      EVENTSTORE_CLUSTER_SIZE: '1',
      EVENTSTORE_RUN_PROJECTIONS: 'None',
    })
    .withExposedPorts({ container: PORT, host: port })
    .withWaitStrategy(Wait.forHttp('/health/live', PORT).forStatusCode(204))
    .withStartupTimeout(START_TIMEOUT_MS)
    .start()
  return {
    environment: {
      SVC_TEST_EVENTSTORE_URL: `esdb://${started.getHost()}:${port}?tls=false`,
      SVC_TEST_EVENTSTORE_CONTAINER: started.getId(),
    },
    stop: async () => void (await started.stop()),
  }
}

/** What a test may do to the container. */
export async function containerSwitches(id: string, url: string): Promise<Switches> {
  const client: ContainerRuntimeClient = await getContainerRuntimeClient()
  const container = client.container.getById(id)
  return {
    async kill() {
      await container.kill()
      await container.wait()
    },
    async restart() {
      await container.start()
      await isLive(url)
    },
    freeze: async () => void (await container.pause()),
    thaw: async () => void (await container.unpause()),
  }
}
