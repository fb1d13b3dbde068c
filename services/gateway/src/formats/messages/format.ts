/** The Messages format. */
import type { InferenceFormat } from '../inference-request.ts'
import { parseMessagesRequest } from './parse.ts'
import { renderMessage } from './render.ts'
import { MessagesStream } from './stream.ts'

export const messagesFormat: InferenceFormat = {
  name: 'messages',
  parse(body) {
    const parsed = parseMessagesRequest(body)
    const dropped = parsed.droppedTools.join(', ')
    return {
      request: parsed.request,
      headers: dropped === '' ? {} : { 'x-svc-dropped-tools': dropped },
      render: (heading, parts, ending) => renderMessage(parsed, heading, parts, ending),
      stream: (heading) => new MessagesStream(parsed, heading),
    }
  },
}
