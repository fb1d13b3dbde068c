/** LangChain with this service: base URL, key and model are all that changes. */
import { ChatAnthropic } from '@langchain/anthropic'
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'

const service = process.env.SVC_URL ?? 'http://127.0.0.1:8080'
const apiKey = process.env.SVC_KEY
const settings = { model: 'svc-beta', apiKey, temperature: 0 }
const configuration = { baseURL: `${service}/v1` }

// Chat completions, the Responses format (`useResponsesApi`) or the Messages format: as you like.
const model = new ChatOpenAI({ ...settings, configuration })
const others = [
  new ChatOpenAI({ ...settings, configuration, useResponsesApi: true }),
  // Without /v1: the client adds it.
  new ChatAnthropic({ ...settings, anthropicApiUrl: service, maxTokens: 200 }),
]

// A plain answer, by each of them.
for (const each of [model, ...others]) {
  const { text } = await each.invoke('What is the capital city of Norway?')
  console.log('plain:', text)
}

// A stream.
process.stdout.write('stream: ')
for await (const chunk of await model.stream('Write a short story about a fox named Mira')) {
  process.stdout.write(chunk.text)
}
console.log()

// A tool: the model asks for it, the client runs it, the model answers with its result.
const weather = tool(
  ({ city }) => {
    console.log('tool: get_weather of', city)
    return JSON.stringify({ temperature: 19, condition: 'cloudy' })
  },
  {
    name: 'get_weather',
    description: 'Get the current weather for a city',
    schema: z.object({ city: z.string().describe('The city') }),
  },
)
const withTools = model.bindTools([weather])
const messages = [new HumanMessage('What is the weather in Paris?')]
const asking = await withTools.invoke(messages)
messages.push(asking)
for (const call of asking.tool_calls) {
  messages.push(
    new ToolMessage({ content: await weather.invoke(call.args), tool_call_id: call.id }),
  )
}
console.log('tool:', (await withTools.invoke(messages)).text)

// An answer with a schema: what comes back is sure to fit.
const Person = z.object({ name: z.string(), age: z.int() })
const structured = model.withStructuredOutput(Person, { method: 'jsonSchema', includeRaw: true })
const { parsed, raw } = await structured.invoke(
  'Extract the name and age as JSON: Beatrix is 29 years old and likes kayaks.',
)
console.log('structured:', parsed)

// What it cost: the usage of an answer is what is billed.
const { input_tokens, output_tokens } = raw.usage_metadata
console.log('usage:', input_tokens, 'tokens in,', output_tokens, 'tokens out')
const headers = { authorization: `Bearer ${apiKey}` }
const balance = await (await fetch(`${service}/v1/balance`, { headers })).json()
console.log('balance:', balance.available, balance.currency)
