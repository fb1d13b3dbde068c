/**
 * The compliance suite on the store that SVC_TEST_EVENTSTORE_URL names. On the double it is run
 * beside the adapter, and not here again.
 */

import { test } from 'vitest'
import { describeEventStore } from '../../compliance.suite.ts'
import { complianceStateOn } from '../testing/compliance-state.ts'

const { SVC_TEST_EVENTSTORE_URL: url } = process.env

if (url === undefined) {
  test.skip('an event store [on a server that SVC_TEST_EVENTSTORE_URL names]', () => {})
} else {
  describeEventStore('eventstoredb, on a server,', () => complianceStateOn(url))
}
