/**
 * Before any schema is made: zod would try whether it may compile code, and the content security
 * policy, which forbids that, would report each try on the console.
 */
import { config } from 'zod'

config({ jitless: true })
