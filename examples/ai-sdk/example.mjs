/** The AI SDK with this service, by four providers: take the one that your code has already. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, isStepCount, Output, streamText, tool } from 'ai'
import { z } from 'zod'

const service = process.env.SVC_URL ?? 'http://127.0.0.1:8080'
const apiKey = process.env.SVC_KEY
const baseURL = `${service}/v1`
const openai = createOpenAI({ baseURL, apiKey })
const anthropic = createAnthropic({ baseURL, apiKey })
const compatible = createOpenAICompatible({ name: 'svc', baseURL, apiKey, includeUsage: true })

// Without a limit, the Anthropic provider asks for more tokens than the demo model has room for.
const settings = { temperature: 0, maxOutputTokens: 200 }
const models = [
  openai.responses('svc-beta'),
  openai.chat('svc-beta'),
  anthropic('svc-beta'),
  compatible('svc-beta'),
]

// A plain answer, by each of them.
for (const model of models) {
  const prompt = 'What is the capital city of Norway?'
  const { text } = await generateText({ model, ...settings, prompt })
  console.log(`plain (${model.provider}):`, text)
}

const [model] = models

// A stream.
process.stdout.write('stream: ')
const prompt = 'Write a short story about a fox named Mira'
const { textStream } = streamText({ model, ...settings, prompt })
for await (const delta of textStream) process.stdout.write(delta)
console.log()

// A tool: the model asks for it, the client runs it, the model answers with its result.
const get_weather = tool({
  description: 'Get the current weather for a city',
  inputSchema: z.object({ city: z.string().describe('The city') }),
  execute: ({ city }) => {
    console.log('tool: get_weather of', city)
    return { temperature: 19, condition: 'cloudy' }
  },
})
const told = await generateText({
  model,
  ...settings,
  prompt: 'What is the weather in Paris?',
  tools: { get_weather },
  stopWhen: isStepCount(3),
})
console.log('tool:', told.text)

// An answer with a schema: what comes back is sure to fit.
const { output, usage } = await generateText({
  model,
  ...settings,
  prompt: 'Extract the name and age as JSON: Beatrix is 29 years old and likes kayaks.',
  output: Output.object({ schema: z.object({ name: z.string(), age: z.int() }) }),
})
console.log('structured:', output)

// What it cost: the usage of an answer is what is billed.
console.log('usage:', usage.inputTokens, 'tokens in,', usage.outputTokens, 'tokens out')
const headers = { authorization: `Bearer ${apiKey}` }
const balance = await (await fetch(`${baseURL}/balance`, { headers })).json()
console.log('balance:', balance.available, balance.currency)
