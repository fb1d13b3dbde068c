/**
 * The catalogue of texts, put together from a part for each area. It comes with the first script;
 * what only the operator's pages say comes with these (`pages/operator/operator-text.ts`).
 */
import { accountTexts } from './english/account.ts'
import { chatTexts } from './english/chat.ts'
import { everywhereTexts } from './english/everywhere.ts'
import { peopleTexts } from './english/people.ts'

export const english = {
  ...everywhereTexts,
  ...peopleTexts,
  ...accountTexts,
  ...chatTexts,
} as const
