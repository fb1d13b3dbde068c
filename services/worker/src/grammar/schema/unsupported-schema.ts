/**
 * A schema, or a part of one, that no grammar of this compiler enforces.
 *
 * The keyword is one of JSON Schema; or `size` or `depth` where the schema is too large.
 */
export class UnsupportedSchema extends Error {
  /** The path to the keyword, which is its last part: `properties.age.multipleOf`. */
  readonly path: string
  readonly keyword: string
  /** What is wrong with it, as the end of a sentence that begins with the path. */
  readonly reason: string

  constructor(path: string, keyword: string, reason: string) {
    super(`${path === '' ? 'the schema' : path}: ${reason}`)
    this.name = 'UnsupportedSchema'
    this.path = path
    this.keyword = keyword
    this.reason = reason
  }
}
