/** The one catalogue of texts, put together from a part for each area. */
import { accountTexts } from './english/account.ts'
import { chatTexts } from './english/chat.ts'
import { everywhereTexts } from './english/everywhere.ts'
import { operatorTexts } from './english/operator.ts'
import { peopleTexts } from './english/people.ts'
import { runningTexts } from './english/running.ts'

export const english = {
  ...everywhereTexts,
  ...peopleTexts,
  ...accountTexts,
  ...chatTexts,
  ...operatorTexts,
  ...runningTexts,
} as const
