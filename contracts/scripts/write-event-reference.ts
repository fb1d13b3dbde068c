import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { eventReference } from './event-reference.ts'
import { eventSchemaFiles } from './event-schemas.ts'
import { topUpReference, topUpSchemaFile } from './top-up-reference.ts'

const reference = new URL('../../docs/reference/', import.meta.url)
writeFileSync(new URL('events.md', reference), eventReference())
writeFileSync(new URL('top-ups.md', reference), topUpReference())
writeFileSync(new URL('top-up.schema.json', reference), topUpSchemaFile())

const folder = new URL('events/', reference)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
for (const [name, schema] of eventSchemaFiles()) writeFileSync(new URL(name, folder), schema)
