/** Programs to copy, one for each kind of client; `examples/` has the whole ones. */
import { MODEL } from '@svc/contracts/wire/models'

export const clients = [
  ['curl', 'curl'],
  ['python', 'Python (openai)'],
  ['javascript', 'JavaScript (openai)'],
  ['anthropic', 'Python (anthropic)'],
  ['env', '.env'],
] as const
export type ClientName = (typeof clients)[number][0]

export interface SnippetValues {
  readonly baseUrl: string
  /** Undefined: a variable of the environment stands for it. */
  readonly secret: string | undefined
}

const QUESTION = 'What is the capital of France?'

export function snippetFor(client: ClientName, values: SnippetValues): string {
  return snippets[client](values)
}

const snippets: Readonly<Record<ClientName, (values: SnippetValues) => string>> = {
  curl: ({ baseUrl, secret = '$SVC_KEY' }) => `curl ${baseUrl}/v1/chat/completions \\
  -H "Authorization: Bearer ${secret}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${MODEL}", "messages": [{"role": "user", "content": "${QUESTION}"}]}'`,
  python: ({ baseUrl, secret }) => `import os
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/v1", api_key=${pythonKey(secret)})
answer = client.chat.completions.create(
    model="${MODEL}",
    messages=[{"role": "user", "content": "${QUESTION}"}],
)
print(answer.choices[0].message.content)`,
  javascript: ({ baseUrl, secret }) => `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: '${baseUrl}/v1',
  apiKey: ${secret === undefined ? 'process.env.SVC_KEY' : `'${secret}'`},
})
const answer = await client.chat.completions.create({
  model: '${MODEL}',
  messages: [{ role: 'user', content: '${QUESTION}' }],
})
console.log(answer.choices[0].message.content)`,
  anthropic: ({ baseUrl, secret }) => `import os
from anthropic import Anthropic

client = Anthropic(base_url="${baseUrl}", api_key=${pythonKey(secret)})
answer = client.messages.create(
    model="${MODEL}",
    max_tokens=256,
    messages=[{"role": "user", "content": "${QUESTION}"}],
)
print(answer.content[0].text)`,
  env: ({ baseUrl, secret = '' }) => `OPENAI_BASE_URL=${baseUrl}/v1
OPENAI_API_KEY=${secret}
ANTHROPIC_BASE_URL=${baseUrl}
ANTHROPIC_API_KEY=${secret}`,
}

function pythonKey(secret: string | undefined): string {
  return secret === undefined ? 'os.environ["SVC_KEY"]' : `"${secret}"`
}
