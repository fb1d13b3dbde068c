import { describe, expect, it } from 'vitest'
import type { ModelFacts } from '../engines/engine.ts'
import { byteVocabulary } from '../engines/scripted/byte-vocabulary.ts'
import { StartRefused } from '../process/start-refused.ts'
import { serveFamily } from './model-family.ts'

const turns =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}'
const calls = '{# tool_calls <tool_call> "arguments" #}'
const shown = '{% if tools %}{{ tools | tojson }}{% endif %}'

const serve = (chatTemplate: string | null) => {
  const warnings: string[] = []
  const log = (_level: string, message: string) => void warnings.push(message)
  const facts = { chatTemplate, modelName: 'm' } as ModelFacts
  return { ...serveFamily(facts, byteVocabulary(), log, { nowMs: () => 0 }), warnings }
}

describe('the family of a model', () => {
  it('is what its template shows', () => {
    const { family, warnings } = serve(calls + shown + turns)
    expect([family.name, warnings]).toEqual(['hermes', []])
  })

  it('is the generic one, with a warning, when the template leaves tools out', () => {
    const { family, renderer, warnings } = serve(calls + turns)
    expect(family.name).toBe('generic')
    expect(warnings).toEqual([expect.stringContaining('ignores tools')])
    const messages = [{ role: 'user', content: 'hi' }] as const
    const tools = [{ name: 'get_time', parameters: {} }]
    const thinking = { enabled: false, effort: 'low' } as const
    const prompt = renderer.render({ messages, tools, thinking })
    expect(Buffer.from(prompt).toString()).toContain('get_time')
  })

  it('is none without a template, or with one that cannot be read', () => {
    expect(() => serve(null)).toThrow(StartRefused)
    expect(() => serve('{% if %}')).toThrow(/cannot be read/)
  })
})
