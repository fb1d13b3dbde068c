import { memo, type ReactNode } from 'react'
import { t } from '../../text/translate.ts'

export interface SettledProps {
  /** Whether what is shown is still that of the question before, as until the answer is there. */
  readonly isOld: boolean
  readonly children: () => ReactNode
}

/**
 * What is shown of an answer. Where the next one takes its time, as on a slow network, it says that
 * what stands there is not yet what is asked for by now: it moves nothing, and a fast one never
 * shows it.
 */
export function Settled({ isOld, children }: SettledProps) {
  return (
    <>
      <Kept isOld={isOld}>{children}</Kept>
      {isOld && (
        <p
          role="status"
          className="comes-late fixed inset-x-0 bottom-4 z-10 mx-auto w-fit max-w-[90vw] rounded-md border border-edge bg-panel px-4 py-2 text-sm shadow-xl"
        >
          {t('figuresOfBefore')}
        </p>
      )}
    </>
  )
}

/**
 * It is not drawn once more for a question that has no answer yet: its rows would be drawn twice
 * for one click, and their links would lead to filters that are not theirs.
 */
const Kept = memo(
  ({ children }: SettledProps) => children(),
  (_, { isOld }) => isOld,
)
