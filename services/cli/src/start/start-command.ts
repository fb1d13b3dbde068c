/** `svc start`: the server with everything that it needs, in one process group. */
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { Command } from 'commander'
import { readyLine, readyPage } from './ready-message.ts'
import { type RunningService, startService } from './service.ts'
import { readSettings, type Settings, SettingsError } from './settings.ts'

interface StartOptions {
  readonly port?: string
  readonly host?: string
  readonly dataDir?: string
  readonly model?: string
  readonly envFile?: string
  readonly json?: true
}

const EXIT_INTERRUPTED = 130

export function startCommand(): Command {
  return new Command('start')
    .description('run the server: gateway, ledger, projections and an inference worker')
    .option('--port <number>', 'port to listen on; 0 takes a free one (SVC_PORT)')
    .option('--host <address>', 'address to listen on (SVC_HOST)')
    .option('--data-dir <dir>', 'folder that holds everything (SVC_DATA_DIR)')
    .option('--model <model>', 'path to a GGUF file, an hf: URI, or demo (SVC_MODEL)')
    .option('--env-file <file>', 'read settings from a file of NAME=value lines')
    .option('--json', 'print one JSON line when ready, and nothing else, on standard output')
    .action(async (_local, command: Command) => {
      await runUntilStopped(command.optsWithGlobals())
    })
}

async function runUntilStopped(options: StartOptions): Promise<void> {
  const settings = settingsOf(options)
  const stopRequested = nextStopSignal()
  const service = await startService(settings)
  const say = options.json === true ? readyLine : readyPage
  process.stdout.write(`${say(service.ready)}\n`)
  await Promise.race([stopRequested, service.failed])
  await stop(service)
}

/** Flags win over the environment, and that over the file. */
function settingsOf(options: StartOptions): Settings {
  const flags = {
    SVC_PORT: options.port,
    SVC_HOST: options.host,
    SVC_DATA_DIR: options.dataDir,
    SVC_MODEL: options.model,
  }
  const given = Object.entries(flags).filter(([, value]) => value !== undefined)
  return readSettings({
    ...readEnvironmentFile(options.envFile),
    ...process.env,
    ...Object.fromEntries(given),
  })
}

function readEnvironmentFile(file: string | undefined): NodeJS.Dict<string> {
  if (file === undefined) return {}
  if (!existsSync(file)) throw new SettingsError(`--env-file: there is no file ${file}`)
  return parseEnv(readFileSync(file, 'utf8'))
}

/**
 * The first signal asks for an orderly stop; a second one, from an impatient operator, ends at
 * once.
 */
function nextStopSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let asked = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (asked) process.exit(EXIT_INTERRUPTED)
      asked = true
      resolve()
    })
  }
  return promise
}

async function stop(service: RunningService): Promise<never> {
  const clean = await service.stop()
  process.exit(clean ? 0 : 1)
}
