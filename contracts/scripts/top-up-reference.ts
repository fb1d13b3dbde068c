/**
 * The page `docs/reference/top-ups.md` and the schema beside it, made of the schema of a top-up.
 */
import { z } from 'zod'
import { topUp } from '../src/bus/top-up.ts'
import { markdownTable } from './markdown-table.ts'

type JsonSchema = z.core.JSONSchema.JSONSchema

const EXAMPLE = {
  account_id: 'acct_01J9Z2Q4T8XKQ7N5V3M6R0W1YB',
  amount: '25.00',
  currency: 'USD',
  reference: 'pay_8431',
}

/** @returns the text of `docs/reference/top-up.schema.json` */
export function topUpSchemaFile(): string {
  return `${JSON.stringify({ title: 'TopUp', ...jsonSchema() }, null, 2)}\n`
}

/** @returns the page as Markdown */
export function topUpReference(): string {
  const { properties = {}, required = [] } = jsonSchema()
  const rows = Object.entries(properties).map(([name, property]) => {
    const { description = '', default: otherwise } = property as JsonSchema
    const given = required.includes(name) ? 'always' : `else \`${JSON.stringify(otherwise)}\``
    return [`\`${name}\``, given, description]
  })
  return [
    introduction,
    markdownTable([['Field', 'Given', 'Meaning'], ...rows]),
    '',
    '```json',
    JSON.stringify(EXAMPLE, null, 2),
    '```',
    '',
    '## What becomes of a record\n',
    markdownTable(outcomes),
    deadLetters,
    markdownTable(deadHeaders),
    '',
  ].join('\n')
}

const introduction = `# Top-ups from Kafka

<!-- Written by \`npm run docs:events\` from \`contracts/src/bus/top-up.ts\`. Do not edit. -->

A record of the topic that \`SVC_KAFKA_TOPUPS_TOPIC\` names is one payment, which becomes a grant: the
same as \`svc account grant\` makes, by the same command.
[How to take top-ups from Kafka](../how-to/take-top-ups-from-kafka.md) says how to begin. The value
is one JSON object, with these fields and no others; as JSON Schema:
[top-up.schema.json](top-up.schema.json). Key and headers mean nothing; with the account as the key
its payments stay in order.
`

const outcomes = [
  ['Record', 'What becomes of it'],
  ['a payment that is new', 'it is granted, and then passed'],
  ['a payment that was granted before, by whomever', 'it is passed, and nothing changes'],
  ['its reference was granted with another amount, category or end', 'dead: `conflict`'],
  ['no JSON, or not in UTF-8, or JSON that readers disagree about', 'dead: `invalid_json`'],
  ['a field is missing', 'dead: `missing_required_parameter`'],
  ['a field is unknown or wrong', 'dead: `invalid_value`'],
  ['no such account', 'dead: `not_found`'],
  ['the account is closed, or its stream is damaged', 'dead, with the code of the API'],
  ['the event store does not answer, or is full', 'it is tried again, and nothing passes it'],
]

const deadLetters = `
What is dead goes to the topic of dead letters, which has the name of the topic and \`.dead\`. Its
records have the original value, byte for byte, the key and the headers as text, and these headers
more:
`

const deadHeaders = [
  ['Header', 'What it says'],
  ['`dead-code`', 'a code of the [error catalogue](errors.md)'],
  ['`dead-reason`', 'the message, for people'],
  ['`dead-topic`', 'where the record stood'],
  ['`dead-partition`, `dead-offset`', 'where in that topic'],
  ['`dead-cut`', 'only when the value, which is then empty, was too large to keep: its bytes'],
]

function jsonSchema(): JsonSchema {
  return z.toJSONSchema(topUp, { io: 'input' })
}
