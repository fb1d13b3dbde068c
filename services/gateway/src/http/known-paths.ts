/** Which methods a path has, so that a wrong method is told from a wrong path. */
interface KnownPath {
  readonly pattern: RegExp
  readonly methods: Set<string>
}

/** What clients append to a base address; the tails of the three formats. */
const TAIL = /^(?:chat\/completions|responses|messages|models|completions|embeddings)(?:[/?]|$)/
const PREFIX = /^\/(pro\/)?(?:v1\/)*/

/**
 * People put `/v1` in the wrong place: twice, or not at all. What can only be meant in one way is
 * served as it is meant. @param target a path with its query
 */
export function meantTarget(target: string): string {
  const [prefix = '', pro = ''] = PREFIX.exec(target) ?? []
  const rest = target.slice(prefix.length)
  return prefix !== '' && TAIL.test(rest) ? `/${pro}v1/${rest}` : target
}

export class KnownPaths {
  readonly #paths = new Map<string, KnownPath>()

  /** @param url a route such as `/v1/requests/:id` */
  add(url: string, methods: string | readonly string[]): void {
    const known = this.#paths.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    for (const method of [methods].flat()) known.methods.add(method)
    this.#paths.set(url, known)
  }

  /** The methods of a path, sorted; none when the path is unknown. */
  methodsOf(path: string): readonly string[] {
    for (const { pattern, methods } of this.#paths.values()) {
      if (pattern.test(path)) return [...methods].sort()
    }
    return []
  }
}

/**
 * Letters, digits and marks that no client encodes. The router decodes them, and a proxy in front
 * that keeps paths from strangers may not, so such a path is nobody's.
 */
const ENCODED_PLAIN = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/i

/** Whether a path is written so that two readers can take it for two paths. */
export function isDisguised(path: string): boolean {
  return ENCODED_PLAIN.test(path)
}

/** The path of a request target, also when that is a whole URL. */
export function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0] || '/'
}

function patternOf(url: string): RegExp {
  const steps = url.split('/').map((step) => {
    if (step.startsWith(':')) return '[^/]+'
    return step === '*' ? '.+' : step.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${steps.join('/')}$`)
}
