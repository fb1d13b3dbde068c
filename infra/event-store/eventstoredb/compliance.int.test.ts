import { EventStoreDbDouble } from '@svc/testing/eventstoredb-double'
import { describeEventStore } from '../compliance.suite.ts'
import { complianceStateOn } from './testing/compliance-state.ts'

for (const encoding of ['own', 'library']) {
  describeEventStore(`eventstoredb, on its double, encoding=${encoding},`, async () => {
    const double = await EventStoreDbDouble.start()
    const state = await complianceStateOn(`${double.url}&encoding=${encoding}`)
    return {
      ...state,
      async remove() {
        await state.remove()
        await double.close()
      },
    }
  })
}
