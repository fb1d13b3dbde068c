/** Keys by which expressions that say the same are found, in whatever rules they stand. */
import type { Expression, Rule } from './expression.ts'
import type { Work } from './work.ts'

export class ExpressionKeys {
  readonly #work: Work
  readonly #numbers = new Map<string, number>()
  readonly #expressions = new Map<Expression, number>()
  readonly #rules = new Map<Rule, number>()
  /** Rules whose number is being found: one that leads back to itself equals only itself. */
  readonly #open = new Set<Rule>()
  readonly #circular = new Set<Rule>()

  constructor(work: Work) {
    this.#work = work
  }

  of(expression: Expression): number {
    const known = this.#expressions.get(expression)
    if (known !== undefined) return known
    const number = this.#numberOf(expression)
    this.#expressions.set(expression, number)
    return number
  }

  ofAll(parts: readonly Expression[]): string {
    return parts.map((part) => this.of(part)).join(' ')
  }

  #numberOf(expression: Expression): number {
    switch (expression.kind) {
      case 'literal':
        return this.#number(`literal ${expression.text}`)
      case 'characters':
        return this.#number(`characters ${expression.set.join(' ')}`)
      case 'rule':
        return this.#ofRule(expression.rule)
      case 'sequence':
        return this.#number(`sequence ${this.ofAll(expression.parts)}`)
      case 'choice':
        return this.#number(`choice ${this.ofAll(expression.options)}`)
      case 'repeat': {
        const { item, min, max } = expression
        return this.#number(`repeat ${this.of(item)} ${min} ${max}`)
      }
    }
  }

  #ofRule(rule: Rule): number {
    if (rule.sharedAs !== null) return this.#number(`shared ${rule.sharedAs}`)
    const known = this.#rules.get(rule)
    if (known !== undefined) return known
    if (this.#open.has(rule)) {
      for (const open of this.#open) this.#circular.add(open)
      return this.#number(`rule ${this.#identity(rule)}`)
    }
    this.#open.add(rule)
    const body = this.of(rule.body)
    this.#open.delete(rule)
    // Within a circle a rule may have been seen by its identity: it keeps that.
    const number = this.#circular.has(rule) ? this.#number(`rule ${this.#identity(rule)}`) : body
    this.#rules.set(rule, number)
    return number
  }

  readonly #identities = new Map<Rule, number>()

  #identity(rule: Rule): number {
    const known = this.#identities.get(rule) ?? this.#identities.size
    this.#identities.set(rule, known)
    return known
  }

  #number(key: string): number {
    this.#work.spend(1 + key.length / 8)
    const known = this.#numbers.get(key) ?? this.#numbers.size
    this.#numbers.set(key, known)
    return known
  }
}
