/** The three classes of tokens, which have no token in common. */
import type { Receipt } from '@svc/contracts/wire/billing'
import { t } from './translate.ts'

export type TokenClass = Receipt['lines'][number]['class']

const names = { input: 'input', cached_input: 'cachedInput', output: 'output' } as const

export function tokenClassName(name: TokenClass): string {
  return t(names[name])
}
