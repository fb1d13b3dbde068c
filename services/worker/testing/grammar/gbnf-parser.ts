/** Reads GBNF as llama.cpp does, and refuses what its parser refuses. */

export type Part =
  | { readonly kind: 'characters'; readonly negated: boolean; readonly ranges: readonly Range[] }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'choice'; readonly options: readonly Part[] }
  | { readonly kind: 'repeat'; readonly item: Part; readonly min: number; readonly max: number }

type Range = readonly [first: number, last: number]
export type Grammar = ReadonlyMap<string, Part>

const REPETITIONS_MAX = 2000
const ESCAPES: Readonly<Record<string, string>> = { t: '\t', r: '\r', n: '\n' }
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** @throws Error when it is no grammar, or refers to a rule that is not there */
export function parseGrammar(text: string): Grammar {
  const rules = new Map<string, Part>()
  for (const line of text.trimEnd().split('\n')) {
    const [, name, body] = /^([a-zA-Z0-9-]+) ::= (.*)$/.exec(line) ?? []
    if (name === undefined || body === undefined) throw new Error(`no rule: ${line}`)
    if (rules.has(name)) throw new Error(`two rules of the name ${name}`)
    rules.set(name, new GbnfReader(body).whole())
  }
  for (const part of rules.values()) checkReferences(part, rules)
  if (!rules.has('root')) throw new Error('no root rule')
  return rules
}

function checkReferences(part: Part, rules: Grammar): void {
  if (part.kind === 'rule' && !rules.has(part.name)) throw new Error(`no rule ${part.name}`)
  if (part.kind === 'sequence') for (const each of part.parts) checkReferences(each, rules)
  if (part.kind === 'choice') for (const each of part.options) checkReferences(each, rules)
  if (part.kind === 'repeat') checkReferences(part.item, rules)
}

class GbnfReader {
  readonly #text: string
  #position = 0

  constructor(text: string) {
    this.#text = text
  }

  whole(): Part {
    const part = this.#choice()
    if (this.#position < this.#text.length) throw this.#error('cannot go on')
    return part
  }

  #choice(): Part {
    const options = [this.#sequence()]
    while (this.#take('|')) options.push(this.#sequence())
    return { kind: 'choice', options }
  }

  #sequence(): Part {
    const parts: Part[] = []
    for (;;) {
      while (this.#take(' '));
      const item = this.#item()
      if (item === undefined) return { kind: 'sequence', parts }
      parts.push(this.#repeated(item))
    }
  }

  #item(): Part | undefined {
    if (this.#take('"')) return this.#literal()
    if (this.#take('[')) return this.#class()
    if (this.#take('(')) {
      const inner = this.#choice()
      if (!this.#take(')')) throw this.#error('lacks a parenthesis')
      return inner
    }
    const [name] = this.#match(/[a-zA-Z0-9-]+/y) ?? []
    return name === undefined ? undefined : { kind: 'rule', name }
  }

  #literal(): Part {
    const parts: Part[] = []
    while (!this.#take('"')) {
      const code = this.#character()
      parts.push({ kind: 'characters', negated: false, ranges: [[code, code]] })
    }
    return { kind: 'sequence', parts }
  }

  #class(): Part {
    const negated = this.#take('^')
    const ranges: Range[] = []
    while (!this.#take(']')) {
      const first = this.#character()
      const isRange = this.#text[this.#position] === '-' && this.#text[this.#position + 1] !== ']'
      if (isRange) this.#position += 1
      ranges.push([first, isRange ? this.#character() : first])
    }
    return { kind: 'characters', negated, ranges }
  }

  #repeated(item: Part): Part {
    if (this.#take('*')) return this.#repeat(item, 0, Number.POSITIVE_INFINITY)
    if (this.#take('+')) return this.#repeat(item, 1, Number.POSITIVE_INFINITY)
    if (this.#take('?')) return this.#repeat(item, 0, 1)
    const [, min, comma, max] = this.#match(/\{(\d+)(,?)(\d*)\}/y) ?? []
    if (min === undefined) return item
    if (comma === '') return this.#repeat(item, Number(min), Number(min))
    return this.#repeat(item, Number(min), max === '' ? Number.POSITIVE_INFINITY : Number(max))
  }

  #repeat(item: Part, min: number, max: number): Part {
    const most = Number.isFinite(max) ? max : min
    if (most > REPETITIONS_MAX) throw this.#error('repeats too often')
    return this.#repeated({ kind: 'repeat', item, min, max })
  }

  #character(): number {
    const [character = '', backslash, letter = ''] =
      this.#match(/(\\)?(.)/suy) ?? this.#fail('ends too early')
    if (backslash === undefined) return character.codePointAt(0) ?? 0
    const digits = HEX_DIGITS[letter]
    if (digits === undefined) {
      const plain = ESCAPES[letter] ?? ('\\"[]-'.includes(letter) ? letter : this.#fail('escape'))
      return plain.codePointAt(0) ?? 0
    }
    const [code = ''] = this.#match(/[0-9a-fA-F]{1,8}/y) ?? this.#fail('code')
    this.#position += digits - code.length
    return Number.parseInt(code.slice(0, digits), 16)
  }

  #take(character: string): boolean {
    if (this.#text[this.#position] !== character) return false
    this.#position += 1
    return true
  }

  #match(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.#position
    const found = form.exec(this.#text) ?? undefined
    if (found !== undefined) this.#position = form.lastIndex
    return found
  }

  #fail(what: string): never {
    throw this.#error(what)
  }

  #error(what: string): Error {
    return new Error(`${what} at ${this.#position} of ${this.#text}`)
  }
}
