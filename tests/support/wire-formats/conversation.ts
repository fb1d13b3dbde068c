/** A conversation in no format: what the tests say in all three, and what the demo model knows. */

export type Turn =
  | { readonly kind: 'user' | 'assistant'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: object }
  | { readonly kind: 'result'; readonly id: string; readonly text: string }

export interface Tool {
  readonly name: string
  readonly description: string
  readonly parameters: object
}

export interface Conversation {
  readonly system?: string
  readonly turns: readonly Turn[]
  readonly tools?: readonly Tool[]
  /** Of what the answer has to be. */
  readonly schema?: object
  readonly effort?: 'high'
  readonly maxTokens?: number
}

export const user = (text: string): Turn => ({ kind: 'user', text })
const assistant = (text: string): Turn => ({ kind: 'assistant', text })

const weatherTool: Tool = {
  name: 'get_weather',
  description: 'Get the current weather for a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  },
}

export const citySchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}

export const question: Conversation = {
  turns: [user('What is the capital city of Norway?')],
}

export const hardQuestion: Conversation = {
  turns: [user('Which number is larger, 45 or 54?')],
  effort: 'high',
  maxTokens: 200,
}

/** The answer is in an earlier turn. */
export const nameQuestion: Conversation = {
  turns: [
    user('my name is Mira'),
    assistant('Hello Mira! How can I help you?'),
    user('Do you still know my name?'),
  ],
}

export const weatherQuestion: Conversation = {
  turns: [user('What is the weather in Oslo?')],
  tools: [weatherTool],
}

/** The call has been made, and its result is there. */
export const weatherAnswer: Conversation = {
  ...weatherQuestion,
  turns: [
    ...weatherQuestion.turns,
    { kind: 'call', id: 'call_1', name: 'get_weather', input: { city: 'Oslo' } },
    { kind: 'result', id: 'call_1', text: '{"sky": "rain", "temperature": 7}' },
  ],
}

/** Of more than a block of the prefix cache, which is 128 tokens. */
export const longQuestion: Conversation = {
  system: 'You are a friendly assistant who answers in one short sentence. '.repeat(12),
  turns: [user('What is the capital city of Norway?')],
}
