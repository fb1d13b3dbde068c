/** The three wire formats, for tests that hold in each of them. */
import { chatFormat } from './chat-format.ts'
import { messagesFormat } from './messages-format.ts'
import { responsesFormat } from './responses-format.ts'
import type { WireFormat } from './wire-format.ts'

export const wireFormats: readonly WireFormat[] = [chatFormat, responsesFormat, messagesFormat]
