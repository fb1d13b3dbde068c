/**
 * Finds the service: at the URL that was named, or by the data folder.
 *
 * A running server on the folder is talked to. A stopped one is opened, which is safe because only
 * one process can hold the folder: two never write at once, whoever comes first.
 */
import { randomBytes } from 'node:crypto'
import { ADMIN_PREFIX } from '@svc/contracts/admin/declaration'
import type { Operations } from '@svc/contracts/admin/operations'
import { messageOf } from '@svc/contracts/error-message'
import { bytesWithin } from '@svc/infra/system/bounded-bytes'
import { isServerProof, PROOF_PATH } from '@svc/operator/http/server-proof'
import { createRemoteOperations } from '@svc/operator/remote/remote-operations'
import { DataFolder, NoLedgerError, type ServerRecord } from '@svc/server/data-folder/data-folder'
import { type LogLocation, shownLocation } from '@svc/server/settings/log-location'
import { z } from 'zod'
import { CliError, EXIT_CONFLICT, EXIT_UNREACHABLE, EXIT_USAGE } from './exit-codes.ts'

const ANSWER_TIMEOUT_MS = 2_000
/** For a server that is surely there, because the folder is held: a busy machine makes it slow. */
const BUSY_ANSWER_TIMEOUT_MS = 30_000
/** More than any proof has: who answers it may be anybody. */
const ANSWER_BYTES_MAX = 4 * 1024
const NONCE_BYTES = 32
const TOKEN_CHARACTERS = /^[\x20-\x7e]+$/

const identityAnswer = z.object({ proof: z.string() })

export type Target = (
  | { readonly url: string; readonly operatorToken: string | undefined }
  | {
      readonly dataDir: string
      readonly place: LogLocation
      /** Signs checkpoints instead of the key of the folder. */
      readonly evidenceKey: string | undefined
      /** Where backups are written, instead of the data folder. */
      readonly backupDir: string | undefined
    }
) & {
  readonly stop: AbortSignal
  readonly warn: (warning: string) => void
}

export interface Connection {
  readonly operations: Operations
  /** Says which way was taken. */
  readonly description: string
  close(): Promise<void>
}

class FolderHeldError extends CliError {
  constructor(message: string) {
    super(EXIT_CONFLICT, message)
  }
}

export async function connect(target: Target): Promise<Connection> {
  return 'url' in target ? connectTo(target) : connectToFolder(target)
}

function connectTo(
  target: Target & { url: string; operatorToken: string | undefined },
): Connection {
  const { url, stop } = target
  checkAddress(url)
  const operatorToken = target.operatorToken?.trim()
  if (operatorToken === undefined || operatorToken === '') {
    throw new CliError(
      EXIT_USAGE,
      '--url needs an admin token of that server, or its operator token, in SVC_OPERATOR_TOKEN',
    )
  }
  // Node would refuse it as a header, and print it.
  if (!TOKEN_CHARACTERS.test(operatorToken)) {
    throw new CliError(
      EXIT_USAGE,
      'SVC_OPERATOR_TOKEN holds the end of a line, or another character that no token has',
    )
  }
  return remote(url, operatorToken, stop)
}

function checkAddress(address: string): void {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CliError(
      EXIT_USAGE,
      `--url: "${address}" is not an address such as http://127.0.0.1:8080`,
    )
  }
  // `fetch` takes no such address, and would say that nothing answers there.
  if (url.username !== '' || url.password !== '') {
    throw new CliError(EXIT_USAGE, '--url: leave out what stands before the @')
  }
  // What is asked has paths of its own: one that is given would have been dropped.
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new CliError(EXIT_USAGE, `--url: leave out what stands behind ${url.origin}`)
  }
}

async function connectToFolder({
  dataDir,
  place,
  evidenceKey,
  backupDir,
  stop,
  warn,
}: Extract<Target, { dataDir: string }>): Promise<Connection> {
  const folder = new DataFolder(dataDir)
  folder.check()
  const found = await lookForServer(folder, stop)
  if (found.state === 'proven') return found.connection
  if (place.kind === 'sqlite' && (!folder.holdsLedger() || folder.lostLedger() !== undefined)) {
    throw new NoLedgerError(folder.whyNoLedger())
  }
  try {
    return await openFolder(folder, { place, evidenceKey, backupDir, warn }, folder.readServer())
  } catch (error) {
    if (!(error instanceof FolderHeldError) || found.state !== 'silent') throw error
    const late = await lookForServer(folder, stop, BUSY_ANSWER_TIMEOUT_MS)
    if (late.state === 'proven') return late.connection
    throw error
  }
}

type FoundServer =
  | { readonly state: 'proven'; readonly connection: Connection }
  /** Its process is there and takes connections, and then says nothing. */
  | { readonly state: 'silent'; readonly pid: number }
  | { readonly state: 'none' }

/** Looks for the server of the folder by what the last one has noted there. */
export async function lookForServer(
  folder: DataFolder,
  stop: AbortSignal,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<FoundServer> {
  const server = folder.readServer()
  const token = folder.readSecrets()?.operatorToken
  if (server === undefined || token === undefined) return { state: 'none' }
  const state = await proofOf(
    server,
    token,
    AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
  )
  if (state === 'none') return { state }
  if (state === 'silent') return { state, pid: server.pid }
  return { state, connection: remote(operatorsUrl(server), token, stop) }
}

async function openFolder(
  folder: DataFolder,
  options: Pick<
    Extract<Target, { dataDir: string }>,
    'place' | 'evidenceKey' | 'backupDir' | 'warn'
  >,
  server: ServerRecord | undefined,
): Promise<Connection> {
  const { place, warn } = options
  // It is loaded only here: what opens a folder is most of a server, and talking to one needs none
  // of it.
  const { FolderInUseError, openDataFolder } = await import('@svc/server/open-data-folder')
  if (place.kind === 'eventstoredb') await endOnClientDefects(warn)
  try {
    const opened = await openDataFolder(folder.path, { ...options, onFatal: endNow })
    const what = place.kind === 'sqlite' ? 'it' : shownLocation(place)
    return { ...opened, description: `no server runs on ${folder.path}: opened ${what} directly` }
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error
    const who = server === undefined ? '' : ` (the last server there was process ${server.pid})`
    throw new FolderHeldError(
      folder.readSecrets() === undefined
        ? `another process holds ${folder.path}${who}, and secrets.json, by which svc would know ` +
            'it, is gone: put it back, or stop that process and start svc again, which makes new ones'
        : `another process holds ${folder.path} and does not answer${who}: try again when it is done`,
    )
  }
}

/**
 * Ends the process at a defect, but not at the errors that the store's client lets loose and nobody
 * can catch.
 */
export async function endOnClientDefects(warn: (warning: string) => void): Promise<void> {
  const { endOnDefects } = await import('./defects.ts')
  const { isUnhandledClientError } = await import(
    '@svc/infra/event-store/eventstoredb/client/unhandled-client-errors'
  )
  const say = (_fields: unknown, message?: string) => warn(message ?? '')
  endOnDefects({ error: say, fatal: say }, isUnhandledClientError, 'a defect: svc ends at once')
}

/** The disk has failed under the event log: nothing that this process believes can be trusted. */
function endNow(error: unknown): never {
  const reason = messageOf(error)
  process.stderr.write(`svc: the disk of the ledger has failed: ${reason}\n`)
  process.exit(EXIT_UNREACHABLE)
}

function remote(baseUrl: string, operatorToken: string, stop: AbortSignal): Connection {
  return {
    operations: createRemoteOperations({ baseUrl, operatorToken, signal: stop }),
    description: `talking to the running server at ${baseUrl}`,
    close: async () => {},
  }
}

/**
 * A server that was killed leaves its record behind. By now its process id and its port may be
 * somebody else's, who must not be sent the operator's token: so the server proves itself first.
 */
async function proofOf(
  server: ServerRecord,
  token: string,
  signal: AbortSignal,
): Promise<FoundServer['state']> {
  if (!lives(server.pid)) return 'none'
  const nonce = randomBytes(NONCE_BYTES).toString('hex')
  const baseUrl = operatorsUrl(server)
  const url = new URL(`${ADMIN_PREFIX}${PROOF_PATH}?nonce=${nonce}`, baseUrl)
  try {
    const answer = await fetch(url, { signal, redirect: 'error' })
    const bytes = await bytesWithin(ANSWER_BYTES_MAX, answer.body ?? [])
    const { proof } = identityAnswer.parse(JSON.parse(`${bytes}`))
    return isServerProof(proof, token, baseUrl, nonce) ? 'proven' : 'none'
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'silent' : 'none'
  }
}

function operatorsUrl({ baseUrl, adminUrl }: ServerRecord): string {
  return adminUrl ?? baseUrl
}

/** A process of another user cannot be signalled, but it is there. */
function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
