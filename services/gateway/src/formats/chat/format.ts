/** The chat-completions format. */
import type { InferenceFormat } from '../inference-request.ts'
import { parseChatRequest } from './parse.ts'
import { renderChatCompletion } from './render.ts'
import { ChatStream } from './stream.ts'

export const chatFormat: InferenceFormat = {
  name: 'chat',
  parse(body) {
    const chat = parseChatRequest(body)
    return {
      request: chat.request,
      render: (heading, parts, ending) => renderChatCompletion(chat, heading, parts, ending),
      stream: (heading) => new ChatStream(chat, heading),
    }
  },
}
