/** The Anthropic SDK with this service: base URL, key and model are all that changes. */
import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import { z } from 'zod'

const service = process.env.SVC_URL ?? 'http://127.0.0.1:8080'
const apiKey = process.env.SVC_KEY
// The SDK has no type for the temperature any more; the service takes it all the same.
const settings = { model: 'svc-beta', max_tokens: 200, temperature: 0 }
// Without /v1: the SDK adds it.
const client = new Anthropic({ baseURL: service, apiKey })

// A plain answer.
const message = await client.messages.create({
  ...settings,
  messages: [{ role: 'user', content: 'What is the capital city of Norway?' }],
})
console.log('plain:', message.content[0].text)

// A stream.
process.stdout.write('stream: ')
const stream = client.messages.stream({
  ...settings,
  messages: [{ role: 'user', content: 'Write a short story about a fox named Mira' }],
})
stream.on('text', (delta) => process.stdout.write(delta))
await stream.done()
console.log()

// A tool: the model asks for it, the client runs it, the model answers with its result.
const weather = betaZodTool({
  name: 'get_weather',
  description: 'Get the current weather for a city',
  inputSchema: z.object({ city: z.string().describe('The city') }),
  run: ({ city }) => {
    console.log('tool: get_weather of', city)
    return JSON.stringify({ temperature: 19, condition: 'cloudy' })
  },
})
const final = await client.beta.messages.toolRunner({
  ...settings,
  messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
  tools: [weather],
})
console.log('tool:', final.content[0].text)

// An answer with a schema: what comes back is sure to fit.
const Person = z.object({ name: z.string(), age: z.int() })
const parsed = await client.messages.parse({
  ...settings,
  messages: [
    {
      role: 'user',
      content: 'Extract the name and age as JSON: Beatrix is 29 years old and likes kayaks.',
    },
  ],
  output_config: { format: zodOutputFormat(Person) },
})
console.log('structured:', parsed.parsed_output)

// What it cost: the usage of an answer is what is billed.
const { input_tokens, output_tokens } = parsed.usage
console.log('usage:', input_tokens, 'tokens in,', output_tokens, 'tokens out')
const balance = await client.get('/v1/balance')
console.log('balance:', balance.available, balance.currency)
