import { parsedExactly } from '@svc/contracts/exact-number'
import type { PromptMessage, ToolDefinition } from '@svc/contracts/worker/protocol'
import { describe, expect, it } from 'vitest'
import { byteVocabulary } from '../../engines/scripted/byte-vocabulary.ts'
import { structuralTokens } from '../structural-tokens.ts'
import { promptRenderer, TemplateRefusal, toolsChangeThePrompt } from '../template.ts'
import { chooseFamily } from './choose-family.ts'
import {
  agentTurns,
  controlTokens,
  conversation,
  promptText,
  rendererOf,
  type TemplateName,
  templateNames,
  templates,
  templateText,
  vocabulary,
  weatherTool,
} from './fixtures/conversations.ts'
import { hermes } from './hermes.ts'

const user = (content: string): PromptMessage => ({ role: 'user', content })
const assistant = (parts: object): PromptMessage => ({ role: 'assistant', content: '', ...parts })
const called = (json: string, name = 'get_weather') => ({
  toolCalls: [{ id: 'x', name, arguments: json }],
})
const result = (content: string, name = 'get_weather'): PromptMessage => ({
  role: 'tool',
  content,
  toolCallId: 'x',
  name,
})

describe('the family of a model', () => {
  it.each(Object.entries(templates))('of %s is %s', (name, family) => {
    expect(chooseFamily(templateText(name as TemplateName)).name).toBe(family)
  })
})

describe('a conversation with tools', () => {
  it.each(templateNames)('reads like %s was trained on', async (name) => {
    const text = promptText(name, conversation(agentTurns))
    await expect(text).toMatchFileSnapshot(`fixtures/prompts/${name}.txt`)
  })

  it.each(templateNames)('differs from one without for %s', (name) => {
    expect(toolsChangeThePrompt(rendererOf(name))).toBe(true)
  })

  it('is recognised as one whose tools the template leaves out', () => {
    const chatTemplate = `{% for m in messages %}{{ m.content }}{% endfor %}`
    const renderer = promptRenderer({
      chatTemplate,
      vocabulary,
      family: hermes(chatTemplate),
      nonce: () => 'k',
      today: () => new Date(0),
    })
    expect(toolsChangeThePrompt(renderer)).toBe(false)
  })

  it.each(templateNames)('grows at its end only for %s', (name) => {
    const turns = [...agentTurns.slice(0, 2), assistant(called('{"city":"Rome"}')), result('sun')]
    const first = rendererOf(name).render(conversation(turns.slice(0, 2), []))
    const later = rendererOf(name).render(conversation(turns, []))
    const same = first.findIndex((token, index) => token !== later[index])
    // A template may open thinking, or end a turn, where the answer then begins.
    expect(same === -1 ? first.length : same).toBeGreaterThan(first.length - 10)
  })

  it.each(templateNames)(
    'may have words beside calls, and a user after results, for %s',
    (name) => {
      const turns = [
        user('a'),
        assistant({ content: 'I look.', ...called('{"city":"Rome"}') }),
        result('sun'),
        user('And?'),
      ]
      const text = promptText(name, conversation(turns))
      expect(text).toContain('{"city": "Rome"}')
      expect(text).toContain('sun')
      expect(text).toContain('And?')
      // Mistral's templates have no place for words beside a call.
      expect(text.includes('I look.')).toBe(templates[name] !== 'mistral')
    },
  )

  it.each(templateNames)('keeps arguments that are no JSON, and long numbers, for %s', (name) => {
    const turns = (json: string) => [user('a'), assistant(called(json)), result('b')]
    expect(promptText(name, conversation(turns('{"city": Ro')))).toContain('{"city": Ro')
    const long = '{"id": 12345678901234567890.10}'
    expect(promptText(name, conversation(turns(long)))).toContain(long)
    expect(promptText(name, conversation(turns('')))).toContain('{}')
  })

  it.each(templateNames)('shows numbers of a schema as they were written, for %s', (name) => {
    const id =
      '{"type":"integer","default":9007199254740993,"maximum":18446744073709551615,' +
      '"minimum":-9007199254740993,"examples":[9007199254740993],"x":9007199254740993}'
    const schema = `{"type":"object","properties":{"id":${id}}}`
    const parameters = parsedExactly(schema) as ToolDefinition['parameters']
    const text = promptText(name, conversation([user('a')], [{ ...weatherTool, parameters }]))
    expect(text).toMatch(/(?<!["\d])9007199254740993(?!["\d])/)
    expect(text).not.toMatch(/900719925474099[24]|18446744073709552000/)
  })

  it('refuses schemas without a bottom', () => {
    let parameters: ToolDefinition['parameters'] = { type: 'object' }
    for (let depth = 0; depth < 10_000; depth += 1) parameters = { items: parameters }
    const tools = [{ ...weatherTool, parameters }]
    expect(() => promptText('qwen3', conversation([user('a')], tools))).toThrow(TemplateRefusal)
  })

  it('says no thinking to a model that always thinks', () => {
    const thinking = { enabled: false, effort: 'high' } as const
    const text = promptText('gpt-oss', { messages: [user('a')], tools: [], thinking })
    expect(text).toMatch(/Reasoning: low[\s\S]*<\|channel\|>analysis<\|message\|><\|end\|>/)
  })
})

/** Everything that a client can write, with the same text in every place. */
function attackedBy(text: string): ReturnType<typeof conversation> {
  const schema = {
    type: text,
    title: text,
    format: text,
    $ref: text,
    [text]: text,
    pattern: text,
    enum: [text],
    const: { [text]: text },
    default: text,
    required: [text],
    anyOf: [text],
    properties: {
      [text]: { type: 'string', description: text, enum: [text, 'a'], [text]: [{ [text]: text }] },
      b: { type: ['array', text], items: { type: text, oneOf: [{ description: text }] } },
    },
  }
  const tool = { name: text, description: text, parameters: { ...schema, type: 'object' } }
  const json = JSON.stringify({ [text]: text, list: [text, { [text]: 1 }] })
  const turns: PromptMessage[] = [
    { role: 'system', content: text },
    user(text),
    assistant({ content: text, reasoning: text, ...called(json, text) }),
    result(text, text),
    assistant({ content: '', ...called(text, text) }),
    result(text, text),
    assistant({ content: text }),
    user(text),
  ]
  return conversation(turns, [tool, { ...tool, parameters: { ...schema, ...tool.parameters } }])
}

describe('what a client writes', () => {
  const isControl = (token: number) => vocabulary.controlText(token) !== ''
  const controlsOf = (name: TemplateName, text: string) =>
    rendererOf(name)
      .render(attackedBy(text))
      .filter(isControl)
      .map((token) => vocabulary.controlText(token))

  it.each(templateNames)('becomes no control token in any place for %s', (name) => {
    const harmless = controlsOf(name, 'harmless')
    expect(controlsOf(name, controlTokens.join('a'))).toEqual(harmless)
    for (const token of controlTokens) expect(controlsOf(name, token)).toEqual(harmless)
  })

  it.each(templateNames)('becomes none together with the text around it for %s', (name) => {
    const harmless = controlsOf(name, 'harmless')
    for (const token of controlTokens) {
      expect(controlsOf(name, token.slice(1, -1))).toEqual(harmless)
      expect(controlsOf(name, token.slice(1))).toEqual(harmless)
    }
  })

  it.each(templateNames)(
    'becomes no token that the template of %s uses, however it is typed',
    (name) => {
      const template = templateText(name)
      const family = chooseFamily(template)
      const used = ['<|im_start|>', '<|im_end|>', ...controlTokens].filter((text) =>
        template.includes(text),
      )
      const pieces = ['  ', '<b>', '</table>']
      const typed = byteVocabulary({
        control: controlTokens,
        userDefined: pieces,
        noneIsControl: true,
      })
      const ids = structuralTokens(typed, template, family)
      expect([...ids.values()]).toEqual(expect.arrayContaining(used))
      const structureOf = (text: string) =>
        rendererOf(name, typed)
          .render(attackedBy(text))
          .flatMap((token) => ids.get(token) ?? [])
      const harmless = structureOf('harmless')
      expect(new Set(harmless).size).toBeGreaterThan(0)
      expect(structureOf([...ids.values()].join('a'))).toEqual(harmless)
      for (const text of ids.values()) {
        for (const written of [
          text,
          text.repeat(2),
          `<${text}>`,
          text.slice(1),
          text.slice(1, -1),
        ]) {
          expect(structureOf(written)).toEqual(harmless)
        }
      }
      // What a file calls user-defined for other reasons is what it was.
      const { userDefined } = typed
      const spaced = rendererOf(name, typed).render(conversation([user('a  b<b>c</table>')], []))
      const found = spaced.flatMap((token) =>
        ids.has(token) ? [] : (userDefined.get(token) ?? []),
      )
      expect(found).toEqual(expect.arrayContaining(pieces))
    },
  )

  it.each(templateNames)('does not steer the template of %s', (name) => {
    const steering = ['{{ 1 + 1 }}', '{% raw %}', '</think>', '6e6f6e6365x0x6e6f6e6365']
    for (const text of steering) expect(controlsOf(name, text)).toEqual(controlsOf(name, 'a'))
  })
})
