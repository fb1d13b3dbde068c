import { writeFileSync } from 'node:fs'
import { adminReference } from './admin-reference.ts'

writeFileSync(new URL('../../docs/reference/admin-api.md', import.meta.url), adminReference())
