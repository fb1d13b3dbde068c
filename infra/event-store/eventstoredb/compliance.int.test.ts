import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { describeEventStore } from '../compliance.suite.ts'
import { complianceStateOn } from './testing/compliance-state.ts'

describeEventStore('eventstoredb, on its double,', async () => {
  const double = await EventStoreDbDouble.start()
  const state = await complianceStateOn(double.url)
  return {
    ...state,
    async remove() {
      await state.remove()
      await double.close()
    },
  }
})
