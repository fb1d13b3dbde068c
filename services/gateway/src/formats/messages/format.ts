/** The Messages format. */
import { droppedToolsHeader } from '../dropped-tools.ts'
import type { InferenceFormat } from '../inference-request.ts'
import { parseMessagesRequest } from './parse.ts'
import { renderMessage } from './render.ts'
import { MessagesStream } from './stream.ts'

export const messagesFormat: InferenceFormat = {
  name: 'messages',
  parse(body) {
    const parsed = parseMessagesRequest(body)
    return {
      request: parsed.request,
      headers: droppedToolsHeader(parsed.droppedTools),
      render: (heading, parts, ending) => renderMessage(parsed, heading, parts, ending),
      stream: (heading) => new MessagesStream(parsed, heading),
    }
  },
}
