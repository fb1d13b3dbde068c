/**
 * Fields that are wrong, said in each format that has them: a value of one meaning has another name
 * and another place in each.
 */
import type { WireFormat } from '@svc/testing/wire-formats/wire-format'

/** The fields that replace those of a good body, and the one that the error has to name. */
export type Place = readonly [fields: object, param: string]
/** A format without the field is left out. */
export type Places = Partial<Record<WireFormat['name'], Place>>

/** What the format does not have, or means otherwise, is left to its own tests. */
export function only(places: Places, ...names: readonly WireFormat['name'][]): Places {
  return Object.fromEntries(names.map((name) => [name, places[name]]))
}

export const everywhere = (name: string, value: unknown): Places => {
  const place: Place = [{ [name]: value }, name]
  return { chat: place, responses: place, messages: place }
}

/** The most tokens of the answer. */
export const limit = (value: unknown): Places => ({
  chat: [{ max_tokens: value }, 'max_tokens'],
  responses: [{ max_output_tokens: value }, 'max_output_tokens'],
  messages: [{ max_tokens: value }, 'max_tokens'],
})

/** The conversation as a whole. */
export const conversation = (value: unknown): Places => ({
  chat: [{ messages: value }, 'messages'],
  responses: [{ input: value }, 'input'],
  messages: [{ messages: value }, 'messages'],
})

/** One turn of the conversation. @param at what of it is at fault: `.role` */
export const turn = (value: unknown, at = ''): Places => ({
  chat: [{ messages: [value] }, `messages[0]${at}`],
  responses: [{ input: [value] }, `input[0]${at}`],
  messages: [{ messages: [value] }, `messages[0]${at}`],
})

/** What the user says. @param at what of it is at fault: `[0]` */
export const said = (content: unknown, at = ''): Places =>
  turn({ role: 'user', content }, `.content${at}`)

/** An image at an address that must never be asked for. */
export const image = (url: string): Places => ({
  ...only(said([{ type: 'image_url', image_url: { url } }], '[0]'), 'chat'),
  ...only(said([{ type: 'input_image', image_url: url }], '[0]'), 'responses'),
  ...only(said([{ type: 'image', source: { type: 'url', url } }], '[0]'), 'messages'),
})

/** A part of what the user says that lacks its text. */
export const textlessPart: Places = {
  ...said([{ type: 'text' }], '[0].text'),
  ...only(said([{ type: 'input_text' }], '[0].text'), 'responses'),
}

const schema = { type: 'object', properties: {} }
const nested = (name: string) => ({ type: 'function', function: { name, parameters: schema } })
const flat = (name: string) => ({ type: 'function', name, parameters: schema })
const block = (name: string) => ({ name, input_schema: schema })

/** Tools of these names. @param at the index of the one at fault; absent: all of them are */
export const tools = (names: readonly string[], at?: number): Places => {
  const path = at === undefined ? 'tools' : `tools[${at}]`
  const name = at === undefined ? '' : '.name'
  return {
    chat: [{ tools: names.map(nested) }, at === undefined ? path : `${path}.function.name`],
    responses: [{ tools: names.map(flat) }, path + name],
    messages: [{ tools: names.map(block) }, path + name],
  }
}

/** A tool that is there, and the choice of one that may not be. */
export const choice = (name: string): Places => ({
  chat: [
    { tools: [nested('f')], tool_choice: { type: 'function', function: { name } } },
    'tool_choice.function.name',
  ],
  responses: [{ tools: [flat('f')], tool_choice: { type: 'function', name } }, 'tool_choice.name'],
  messages: [{ tools: [block('f')], tool_choice: { type: 'tool', name } }, 'tool_choice.name'],
})

/** A result of the call with this id, which nobody made. */
export const orphan = (id: string): Places => ({
  chat: [
    { messages: [{ role: 'tool', tool_call_id: id, content: 'x' }] },
    'messages[0].tool_call_id',
  ],
  responses: [
    { input: [{ type: 'function_call_output', call_id: id, output: 'x' }] },
    'input[0].call_id',
  ],
  messages: [
    { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: id }] }] },
    'messages[0].content[0].tool_use_id',
  ],
})

/** A tool whose schema stands where another format, or the Model Context Protocol, has it. */
export const foreignTools: readonly (readonly [shape: string, places: Places])[] = [
  ['of the Model Context Protocol', withSchemaAs('inputSchema')],
  ['with the schema of Messages', withSchemaAs('input_schema')],
  [
    'with the schema beside the function',
    {
      chat: [
        { tools: [{ type: 'function', function: { name: 'f' }, parameters: schema }] },
        'tools[0].parameters',
      ],
      responses: [
        { tools: [{ type: 'function', name: 'f', function: { parameters: schema } }] },
        'tools[0].function',
      ],
    },
  ],
  [
    'that is custom',
    {
      responses: [
        { tools: [{ type: 'custom', name: 'f', input_schema: schema }] },
        'tools[0].input_schema',
      ],
    },
  ],
  [
    'of a type that is left out',
    {
      responses: [
        { tools: [flat('g'), { type: 'tool', name: 'f', input_schema: schema }] },
        'tools[1].input_schema',
      ],
    },
  ],
]

function withSchemaAs(field: string): Places {
  const tool = { name: 'f', [field]: schema }
  return {
    chat: [{ tools: [{ type: 'function', function: tool }] }, `tools[0].function.${field}`],
    responses: [{ tools: [{ type: 'function', ...tool }] }, `tools[0].${field}`],
  }
}

/** A tool that lacks what this format needs, mostly because it is in the shape of another. */
export const incompleteTools: readonly (readonly [shape: string, places: Places])[] = [
  [
    'of chat completions',
    {
      responses: [{ tools: [nested('f')] }, 'tools[0].name'],
      messages: [{ tools: [nested('f')] }, 'tools[0].input_schema'],
    },
  ],
  [
    'of Responses',
    {
      chat: [{ tools: [flat('f')] }, 'tools[0].function'],
      messages: [{ tools: [flat('f')] }, 'tools[0].input_schema'],
    },
  ],
  [
    'of Messages',
    {
      chat: [{ tools: [block('f')] }, 'tools[0].type'],
      responses: [{ tools: [block('f')] }, 'tools[0].type'],
    },
  ],
  ...[
    { name: 'f' },
    { name: 'f', input_schema: null },
    { name: 'f', inputSchema: schema },
    { name: 'f', parameters: schema },
    { type: 'custom', name: 'f', parameters: schema },
    { type: 'function', name: 'f', parameters: schema },
  ].map((tool) => [JSON.stringify(tool), onlyMessages([tool], 0)] as const),
  [
    'of a type that is left out, with a schema',
    onlyMessages([block('g'), { type: 'tool', name: 'f', parameters: schema }], 1),
  ],
]

function onlyMessages(given: readonly object[], at: number): Places {
  return { messages: [{ tools: given }, `tools[${at}].input_schema`] }
}

/** A body has none of its own. */
const NO_LIMIT = {
  max_tokens: undefined,
  max_completion_tokens: undefined,
  max_output_tokens: undefined,
}

/** An end of the answer, where another format has it. */
export const foreignEnds: readonly (readonly [field: string, places: Places])[] = [
  ['max_output_tokens', only(endAt('max_output_tokens', 9, NO_LIMIT), 'chat', 'messages')],
  ['max_completion_tokens', only(endAt('max_completion_tokens', 9, NO_LIMIT), 'messages')],
  ...['max_tokens', 'max_completion_tokens'].map(
    (field) => [field, only(endAt(field, 9, NO_LIMIT), 'responses')] as const,
  ),
  ['stop', only(endAt('stop', 'END'), 'responses', 'messages')],
  ['stop_sequences', only(endAt('stop_sequences', ['END']), 'chat', 'responses')],
]

function endAt(field: string, value: unknown, without: object = {}): Places {
  const place: Place = [{ ...without, [field]: value }, field]
  return { chat: place, responses: place, messages: place }
}

/** JSON demanded where another format has its demand. */
export const foreignOutput: readonly (readonly [field: string, places: Places])[] = [
  ['response_format', demandIn('chat', { response_format: { type: 'json_object' } })],
  [
    'text.format',
    demandIn('responses', { text: { format: { type: 'json_schema', name: 'x', schema } } }),
  ],
  [
    'output_config.format',
    demandIn('messages', { output_config: { format: { type: 'json_schema', schema } } }),
  ],
  ['output_format', demandIn('messages', { output_format: { type: 'json_schema', schema } })],
]

function demandIn(owner: WireFormat['name'], fields: Readonly<Record<string, object>>): Places {
  const [name, value] = Object.entries(fields)[0] ?? ['', {}]
  const place: Place = [fields, 'format' in value ? `${name}.format` : name]
  const places: Places = { chat: place, responses: place, messages: place }
  return Object.fromEntries(Object.entries(places).filter(([format]) => format !== owner))
}

/** What the answer has to be. @param at what of it is at fault: `.schema` */
export const output = (given: object, at = ''): Places => ({
  chat: [
    { response_format: { type: 'json_schema', json_schema: { name: 'x', ...given } } },
    `response_format.json_schema${at}`,
  ],
  responses: [
    { text: { format: { type: 'json_schema', name: 'x', ...given } } },
    `text.format${at}`,
  ],
  messages: [
    { output_config: { format: { type: 'json_schema', ...given } } },
    `output_config.format${at}`,
  ],
})
