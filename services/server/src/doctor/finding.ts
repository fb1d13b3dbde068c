/** What one look of the doctor found. */
import { messageOf } from '@svc/contracts/error-message'

export interface Finding {
  readonly check: string
  /** `note`: it works, and could be better. */
  readonly state: 'ok' | 'note' | 'problem'
  /** What is so, and where it is not as it should be, what to do, in one line without secrets. */
  readonly says: string
}

export const ok = (check: string, says: string): Finding => ({ check, state: 'ok', says })
export const note = (check: string, says: string): Finding => ({ check, state: 'note', says })
export const problem = (check: string, says: string): Finding => ({ check, state: 'problem', says })

/** An error of this program says in its message what to do. */
export async function found(
  check: string,
  look: () => Finding | Promise<Finding>,
): Promise<Finding> {
  try {
    return await look()
  } catch (error) {
    return problem(check, messageOf(error))
  }
}
