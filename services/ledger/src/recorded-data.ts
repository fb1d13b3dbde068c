import type { AccountEvent, AccountEventOf, AccountEventType } from '@svc/contracts/events/account'

/**
 * Finds the event of a type among those of a decision. @returns its data
 *
 * @throws when there is none: a decision without it is a defect
 */
export function dataOf<T extends AccountEventType>(
  events: readonly AccountEvent[],
  type: T,
): AccountEventOf<T>['data'] {
  const event = events.find((candidate): candidate is AccountEventOf<T> => candidate.type === type)
  if (event === undefined) throw new Error(`the decision has no ${type}`)
  return event.data as AccountEventOf<T>['data']
}
