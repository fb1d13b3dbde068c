/**
 * Tells zod not to try whether it may compile code. This has to run before any schema is made: the
 * content security policy forbids compiling, and would report each try on the console.
 */
import { config } from 'zod'

config({ jitless: true })
