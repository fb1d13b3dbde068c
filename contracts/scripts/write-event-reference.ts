import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { eventReference } from './event-reference.ts'
import { eventSchemaFiles } from './event-schemas.ts'

writeFileSync(new URL('../../docs/reference/events.md', import.meta.url), eventReference())

const folder = new URL('../../docs/reference/events/', import.meta.url)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
for (const [name, schema] of eventSchemaFiles()) writeFileSync(new URL(name, folder), schema)
