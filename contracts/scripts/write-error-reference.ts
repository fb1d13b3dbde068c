import { writeFileSync } from 'node:fs'
import { errorReference } from './error-reference.ts'

writeFileSync(new URL('../../docs/reference/errors.md', import.meta.url), errorReference())
