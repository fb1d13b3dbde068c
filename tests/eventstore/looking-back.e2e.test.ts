/** Positions of an EventStoreDB are bytes apart: whoever looks back goes from event to event. */
import type { EventPage, LoggedEvent } from '@svc/contracts/admin/events'
import { startRunningServer } from '@svc/testing/running-server'
import { withoutModel } from '@svc/testing/without-model'
import { expect, onTestFinished, test } from 'vitest'
import { newPrefix, pay } from './server-story.ts'
import { startStoreUnderTest } from './store-under-test.ts'

const SEED = 1
const TEST_MS_MAX = 60_000

test(
  'the newest events are found, page by page, and a position of no event is refused',
  async () => {
    const store = await startStoreUnderTest(SEED)
    onTestFinished(() => store.stop())
    const { operations, ready } = await startRunningServer({
      EVENTSTORE_URL: store.url,
      SVC_EVENTSTORE_PREFIX: newPrefix(),
      ...(await withoutModel()),
    })
    await pay(ready.baseUrl, ready.apiKey)

    const [newest] = (await operations.newestEvents({ limit: 1 })).events
    const walked: LoggedEvent[] = []
    for (let until = newest?.position ?? null; until !== null; ) {
      const page: EventPage = await operations.newestEvents({ until, limit: 3 })
      walked.push(...page.events)
      until = page.next
    }
    const { events } = await operations.listEvents({ limit: 1_000 })
    const at = events.findIndex(({ id }) => id === newest?.id)
    expect(walked).toEqual(events.slice(0, at + 1).toReversed())

    const nowhere = `${Number(newest?.position) - 1}`
    const refused = { code: 'invalid_value' }
    await expect(operations.newestEvents({ until: nowhere, limit: 1 })).rejects.toMatchObject(
      refused,
    )
    await expect(operations.listEvents({ after: nowhere, limit: 1 })).rejects.toMatchObject(refused)
  },
  TEST_MS_MAX,
)
