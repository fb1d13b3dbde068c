/** The openai package with this service: base URL, key and model are all that changes. */
import OpenAI from 'openai'
import { zodFunction, zodTextFormat } from 'openai/helpers/zod'
import { z } from 'zod'

const service = process.env.SVC_URL ?? 'http://127.0.0.1:8080'
const apiKey = process.env.SVC_KEY
const model = 'svc-beta'
const client = new OpenAI({ baseURL: `${service}/v1`, apiKey })

// A plain answer.
const completion = await client.chat.completions.create({
  model,
  temperature: 0,
  messages: [{ role: 'user', content: 'What is the capital city of Norway?' }],
})
console.log('plain:', completion.choices[0].message.content)

// A stream.
const stream = client.chat.completions.stream({
  model,
  temperature: 0,
  messages: [{ role: 'user', content: 'Write a short story about a fox named Mira' }],
})
process.stdout.write('stream: ')
stream.on('content', (delta) => process.stdout.write(delta))
await stream.done()
console.log()

// A tool: the model asks for it, the client runs it, the model answers with its result.
const weather = zodFunction({
  name: 'get_weather',
  description: 'Get the current weather for a city',
  parameters: z.object({ city: z.string().describe('The city') }),
  function: ({ city }) => {
    console.log('tool: get_weather of', city)
    return { temperature: 19, condition: 'cloudy' }
  },
})
const runner = client.chat.completions.runTools({
  model,
  temperature: 0,
  messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
  tools: [weather],
})
console.log('tool:', await runner.finalContent())

// An answer with a schema, here in the Responses format: what comes back is sure to fit.
const Person = z.object({ name: z.string(), age: z.int() })
const response = await client.responses.parse({
  model,
  temperature: 0,
  input: 'Extract the name and age as JSON: Beatrix is 29 years old and likes kayaks.',
  text: { format: zodTextFormat(Person, 'person') },
})
console.log('structured:', response.output_parsed)

// What it cost: the usage of an answer is what is billed.
const { input_tokens, output_tokens } = response.usage
console.log('usage:', input_tokens, 'tokens in,', output_tokens, 'tokens out')
const balance = await client.get('/balance')
console.log('balance:', balance.available, balance.currency)
