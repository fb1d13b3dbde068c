import { memo, type ReactNode } from 'react'

export interface SettledProps {
  /** Whether what is shown is still that of the question before, as until the answer is there. */
  readonly isOld: boolean
  readonly children: () => ReactNode
}

/**
 * What is shown of an answer. It is not drawn once more for a question that has no answer yet: its
 * rows would be drawn twice for one click, and their links would lead to filters that are not
 * theirs.
 */
export const Settled = memo(
  ({ children }: SettledProps) => children(),
  (_, { isOld }) => isOld,
)
