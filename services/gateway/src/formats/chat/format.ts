/** The chat-completions format. */
import type { InferenceFormat } from '../../inference-request.ts'
import { renderOpenAiError } from './errors.ts'
import { parseChatRequest } from './parse.ts'
import { renderChatCompletion } from './render.ts'
import { CHAT_KEEP_ALIVE, ChatStream } from './stream.ts'

export const chatFormat: InferenceFormat = {
  name: 'chat',
  parse: parseChatRequest,
  render: renderChatCompletion,
  stream: (request, heading) => new ChatStream(request, heading),
  keepAlive: CHAT_KEEP_ALIVE,
  error: renderOpenAiError,
}
