/** Called by `bin/svc.js`. */
import { processTerminal } from './context/process-terminal.ts'
import { run } from './run.ts'

/** What is written is for its owner only, whoever makes the file: money and keys. */
const OWNER_ONLY = 0o077

process.umask(OWNER_ONLY)
process.exitCode = await run(process.argv.slice(2), processTerminal())
