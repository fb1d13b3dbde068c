/**
 * Where the tests of EventStoreDB can run. A test file knows of these variables only:
 *
 *     SVC_TEST_EVENTSTORE_URL         the store to use; without it the double is started
 *     SVC_TEST_EVENTSTORE_CONTAINER   the container it runs in, which the tests may kill and pause
 *     SVC_TEST_EVENTSTORE_KILL        a command that kills it, as `kill -9`
 *     SVC_TEST_EVENTSTORE_START       a command that starts it again, over the same data
 *     SVC_TEST_EVENTSTORE_ENCODING    `library` for the client's own encoding of messages
 */
import { getContainerRuntimeClient } from 'testcontainers'
import { DEFAULT_IMAGE, startContainer } from './container.ts'

export const placeNames = ['double', 'server', 'container'] as const
export type PlaceName = (typeof placeNames)[number]

export interface StartedPlace {
  /** For the test files. */
  readonly environment: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}

/** Why the tests cannot run at a place. */
export class PlaceMissingError extends Error {
  override readonly name = 'PlaceMissingError'
}

/** @throws {PlaceMissingError} */
export async function startPlace(name: PlaceName, image = DEFAULT_IMAGE): Promise<StartedPlace> {
  switch (name) {
    case 'double':
      return { environment: {}, stop: async () => {} }
    case 'server':
      return namedServer()
    case 'container':
      await expectDocker()
      return startContainer(image)
  }
}

function namedServer(): StartedPlace {
  const url = process.env.EVENTSTORE_URL
  if (url === undefined || url === '') throw new PlaceMissingError('EVENTSTORE_URL is not set')
  return { environment: { SVC_TEST_EVENTSTORE_URL: url }, stop: async () => {} }
}

async function expectDocker(): Promise<void> {
  try {
    await getContainerRuntimeClient()
  } catch {
    throw new PlaceMissingError('no Docker engine answers')
  }
}
