/**
 * The compliance suite on the store that SVC_TEST_EVENTSTORE_URL names. On the double it is run
 * beside the adapter, and not here again.
 */

import { describeEventStore } from '@svc/infra/event-store/compliance.suite'
import { complianceStateOn } from '@svc/infra/event-store/eventstoredb/testing/compliance-state'
import { test } from 'vitest'

const { SVC_TEST_EVENTSTORE_URL: url } = process.env

if (url === undefined) {
  test.skip('an event store [on a server that SVC_TEST_EVENTSTORE_URL names]', () => {})
} else {
  describeEventStore('eventstoredb, on a server,', () => complianceStateOn(url))
}
