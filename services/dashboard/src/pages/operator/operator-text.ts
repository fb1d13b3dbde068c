/** What the operator's pages say: the texts of all pages, and those that only they have. */

import { operatorTexts } from '../../text/english/operator.ts'
import { runningTexts } from '../../text/english/running.ts'
import { english } from '../../text/english.ts'
import { type PlainNameOf, translator } from '../../text/translate.ts'

const texts = { ...english, ...operatorTexts, ...runningTexts } as const

export type PlainName = PlainNameOf<typeof texts>

export const t = translator(texts)
