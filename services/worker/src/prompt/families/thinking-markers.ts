/** The tags that models put around their thinking. */
import type { ThinkingMarkers } from './family.ts'

const usual: ThinkingMarkers = { open: '<think>', close: '</think>', answer: '' }
const others: readonly ThinkingMarkers[] = [
  { open: '[THINK]', close: '[/THINK]', answer: '' },
  { open: '<seed:think>', close: '</seed:think>', answer: '' },
  { open: '<|START_THINKING|>', close: '<|END_THINKING|>', answer: '' },
]

/** @returns the tags that the chat template speaks of, or else the usual ones */
export function thinkingMarkers(chatTemplate: string): ThinkingMarkers {
  if (chatTemplate.includes(usual.open)) return usual
  return others.find(({ open }) => chatTemplate.includes(open)) ?? usual
}

/** Whether a prompt ends in an open tag. */
export function endsOpen({ open }: ThinkingMarkers, promptTail: string): boolean {
  return promptTail.trimEnd().endsWith(open)
}
