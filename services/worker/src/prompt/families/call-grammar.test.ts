import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GbnfAcceptance } from '../../../testing/grammar/gbnf-acceptance.ts'
import { GbnfSampler } from '../../../testing/grammar/gbnf-sampler.ts'
import { randomOf } from '../../../testing/grammar/schema-validator.ts'
import { GrammarRules } from '../../grammar/gbnf/gbnf.ts'
import { chooseFamily } from './choose-family.ts'
import { type TemplateName, templateNames, templateText } from './fixtures/conversations.ts'
import { readAnswer } from './fixtures/reading.ts'

const OBJECT = '"{\\"city\\": \\"" [a-z}{<]{0,6} "\\"}"'
const names = ['get_weather', 'get_time', 'a.b-c"d']

function grammarOf(template: TemplateName, parallel: boolean): string {
  const rules = new GrammarRules()
  const argumentsRule = rules.add('arguments', OBJECT)
  const tools = names.map((name) => ({ name, argumentsRule }))
  const family = chooseFamily(templateText(template))
  return rules.text(family.callGrammar(rules, tools, { parallel }))
}

const json = '{"city": "oslo"}'
const hermes = `<tool_call>\n{"name": "get_weather", "arguments": ${json}}\n</tool_call>`
const nemo = `{"name": "get_weather", "arguments": ${json}}`
const r1 = `<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n\`\`\`json\n${json}\n\`\`\`<｜tool▁call▁end｜>`
const v31 = `<｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>${json}<｜tool▁call▁end｜>`
const one: Record<TemplateName, string> = {
  qwen3: hermes,
  'qwen3-coder': hermes,
  'gemma-like': hermes,
  'llama-like': `{"name": "get_weather", "parameters": ${json}}`,
  'mistral-nemo': `[TOOL_CALLS][${nemo}]`,
  'mistral-small-3.2': `[TOOL_CALLS]get_weather[ARGS]${json}`,
  'gpt-oss': `<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>${json}`,
  'deepseek-r1': `<｜tool▁calls▁begin｜>${r1}<｜tool▁calls▁end｜>`,
  'deepseek-v3.1': `<｜tool▁calls▁begin｜>${v31}<｜tool▁calls▁end｜>`,
}
const two: Partial<Record<TemplateName, string>> = {
  qwen3: `${hermes}\n${hermes}`,
  'mistral-nemo': `[TOOL_CALLS][${nemo}, ${nemo}]`,
  'mistral-small-3.2': one['mistral-small-3.2'].repeat(2),
  'deepseek-r1': `<｜tool▁calls▁begin｜>${r1}\n${r1}<｜tool▁calls▁end｜>`,
  'deepseek-v3.1': `<｜tool▁calls▁begin｜>${v31}${v31}<｜tool▁calls▁end｜>`,
}

describe('the grammar of calls', () => {
  it.each(templateNames)('takes what %s was trained to write', (name) => {
    const single = new GbnfAcceptance(grammarOf(name, false))
    expect(single.accepts(one[name])).toBe(true)
    expect(single.accepts(one[name].replace('get_weather', 'rm'))).toBe(false)
    expect(single.accepts(one[name].slice(0, -1))).toBe(false)
    const twice = two[name]
    if (twice === undefined) return
    expect(single.accepts(twice)).toBe(false)
    expect(new GbnfAcceptance(grammarOf(name, true)).accepts(twice)).toBe(true)
  })

  it.each(templateNames)('is read as nothing but calls for %s', (name) => {
    const grammars = [false, true].map((parallel) => new GbnfSampler(grammarOf(name, parallel)))
    fc.assert(
      fc.property(fc.nat(), fc.boolean(), (seed, parallel) => {
        const text = grammars[Number(parallel)]?.draw(randomOf(seed), 20) ?? ''
        const { parts, reasoning } = readAnswer(name, [text], { callable: names })
        expect(reasoning).toBe('')
        expect(parts.length).toBeGreaterThan(0)
        if (!parallel) expect(parts).toHaveLength(1)
        for (const part of parts) expect(part).toEqual([expect.any(String), expect.any(String)])
        for (const [called, written] of parts) {
          expect(names).toContain(called)
          expect(Object.keys(JSON.parse(written ?? ''))).toEqual(['city'])
        }
      }),
    )
  })
})
