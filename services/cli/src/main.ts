/** `bin/svc.js` runs this. */
import { processTerminal } from './context/process-terminal.ts'
import { run } from './run.ts'

/** Every file that is written is for its owner only, whoever makes it: it has money and keys. */
const OWNER_ONLY = 0o077

process.umask(OWNER_ONLY)
process.exitCode = await run(process.argv.slice(2), processTerminal())
