/** Finds keywords that would be needed and are not enforced. */

import { numberFormats } from './demands.ts'
import { refusedKeywords, type TypeName } from './keywords.ts'
import type { SchemaDocument, SchemaMember } from './schema-document.ts'

const refusals = new Map(refusedKeywords.map((keyword) => [keyword.name, keyword]))

/**
 * @param types that values may be of: what is about others demands nothing
 * @throws UnsupportedSchema unless what is not enforced is to be left out
 */
export function checkKeywords(
  document: SchemaDocument,
  members: readonly SchemaMember[],
  types: ReadonlySet<TypeName>,
): void {
  for (const member of members) {
    for (const [keyword, value] of Object.entries(member.schema)) {
      const refusal = refusals.get(keyword)
      if (refusal === undefined || refusal.isIdle(value, member.schema)) continue
      const { about, reason } = refusal
      const concerns =
        about === null || types.has(about) || (about === 'number' && types.has('integer'))
      if (concerns) document.unsupported(member, keyword, `is not enforced: ${reason}`)
    }
    checkPlace(document, member)
    checkFormat(document, member, types)
  }
}

/** An identifier within a schema would give the references in it another root. */
function checkPlace(document: SchemaDocument, member: SchemaMember): void {
  if (member.path !== '' && Object.hasOwn(member.schema, '$id')) {
    document.unsupported(member, '$id', 'is supported at the root only')
  }
}

/** The formats of strings are looked at where texts are made. */
function checkFormat(
  document: SchemaDocument,
  member: SchemaMember,
  types: ReadonlySet<TypeName>,
): void {
  const { format } = member.schema
  if (format === undefined || types.has('string')) return
  const isNumber = types.has('number') || types.has('integer')
  if (isNumber && !numberFormats.includes(String(format))) {
    document.unsupported(member, 'format', 'is a format that is not enforced')
  }
}
