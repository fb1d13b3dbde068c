import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: 'http://127.0.0.1:8080/v1',
  apiKey: process.env.SVC_KEY,
})
const answer = await client.chat.completions.create({
  model: 'svc-beta',
  messages: [{ role: 'user', content: 'What is the capital of France?' }],
})
console.log(answer.choices[0].message.content)
