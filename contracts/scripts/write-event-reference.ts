import { writeFileSync } from 'node:fs'
import { eventReference } from './event-reference.ts'

writeFileSync(new URL('../../docs/reference/events.md', import.meta.url), eventReference())
