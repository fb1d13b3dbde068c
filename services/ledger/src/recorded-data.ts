import type { AccountEvent, AccountEventOf, AccountEventType } from '@svc/contracts/events/account'

/** The data of the event of a type that a decision must have made. */
export function dataOf<T extends AccountEventType>(
  events: readonly AccountEvent[],
  type: T,
): AccountEventOf<T>['data'] {
  const event = events.find((candidate): candidate is AccountEventOf<T> => candidate.type === type)
  if (event === undefined) throw new Error(`the decision has no ${type}`)
  return event.data as AccountEventOf<T>['data']
}
