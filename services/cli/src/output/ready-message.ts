/** Makes what `svc start` says when it is ready: one JSON line for programs, a page for people. */
import { resolve } from 'node:path'
import { formatPricePerMillion } from '@svc/contracts/money'
import type { Rates } from '@svc/contracts/price'
import { MODEL } from '@svc/contracts/wire/models'
import { PUBLISH_A_PRICE } from '@svc/operator/operations/unpriced-models'
import { DEFAULT_DATA_DIR } from '@svc/server/data-folder/data-folder'
import type { Ready } from '@svc/server/roles/all'
import type { Environment } from '@svc/server/settings/setting-names'

/** Writes one line, without the newline. */
export function readyLine(ready: Ready): string {
  const { baseUrl, listening, adminUrl, apiKey, accountId, ownerLink, dataDir, pid } = ready
  return JSON.stringify({
    type: 'ready',
    ...(ready.role === 'all' ? {} : { role: ready.role }),
    baseUrl,
    listening,
    adminUrl,
    apiKey,
    accountId,
    ownerLink,
    dataDir,
    pid,
    ...(ready.unpricedModels.length === 0 ? {} : { unpricedModels: ready.unpricedModels }),
    pricedFrom: ready.pricedFrom,
  })
}

/** Where somebody reads the message, and enters what it says. */
export interface Reader {
  /** In the shell that runs the server, or outside of the container of our image. */
  readonly place: 'shell' | 'outside'
  /** The folder that commands look into by themselves there. */
  readonly dataDir: string
}

/** @param environment of the server; the image says in it that it is one */
export function readerOf({ IN_SVC_IMAGE: image, SVC_DATA_DIR: dataDir }: Environment): Reader {
  if (image === undefined) return { place: 'shell', dataDir: resolve(DEFAULT_DATA_DIR) }
  return { place: 'outside', dataDir: resolve(dataDir ?? DEFAULT_DATA_DIR) }
}

export function readyPage(ready: Ready, reader: Reader): string {
  return isGateway(ready) ? gatewayPage(ready, reader) : besidePage(ready, reader)
}

function isGateway({ role }: Ready): boolean {
  return role === 'all' || role === 'gateway'
}

/** The message of a process that clients do not ask. */
function besidePage(ready: Ready, reader: Reader): string {
  const { role, baseUrl, adminUrl = baseUrl, dataDir } = ready
  return [
    '',
    `The ${role} is ready.`,
    '',
    `  Is it ready?      ${baseUrl}/readyz`,
    ...dashboardLine(ready),
    `  Operator's API    ${adminUrl}`,
    `  Data              ${dataDir}`,
    ...portNote(ready, reader),
    ...ownerNote(ready.ownerLink),
    '',
    stopLine(reader),
    '',
  ].join('\n')
}

function gatewayPage(ready: Ready, reader: Reader): string {
  return [
    '',
    `svc is ready.`,
    '',
    `  OpenAI base URL   ${ready.baseUrl}/v1`,
    `  Anthropic URL     ${ready.baseUrl}`,
    ...dashboardLine(ready),
    `  API reference     ${ready.baseUrl}/docs`,
    ...(ready.listening === undefined ? [] : [`  Listening on      ${ready.listening}`]),
    ...(ready.adminUrl === undefined ? [] : [`  Operator's API    ${ready.adminUrl}`]),
    `  Model             ${MODEL} (${ready.modelName})`,
    ...(ready.price === undefined ? [] : priceLines(ready.price)),
    `  Account           ${ready.accountId ?? noAccount(ready, reader)}`,
    `  Data              ${ready.dataDir}`,
    ...portNote(ready, reader),
    ...ownerNote(ready.ownerLink),
    ...toyNote(ready.toy, reader),
    ...unpricedNote(ready, reader),
    ...(ready.apiKey === undefined ? secondRun(ready, reader) : firstRun(ready, reader)),
    '',
    stopLine(reader),
    '',
  ].join('\n')
}

/** People may be signed in elsewhere, or nowhere. */
function dashboardLine({ hasDashboard, baseUrl }: Ready): string[] {
  return hasDashboard ? [`  Dashboard         ${baseUrl}/`] : []
}

function noAccount(ready: Ready, reader: Reader): string {
  return `none yet: ${svcOf(ready, reader)} account open --name NAME`
}

function priceLines({ input, cachedInput, output }: Rates): string[] {
  const [computed, cached, made] = [input, cachedInput, output].map(formatPricePerMillion)
  const rates = `$${computed} input, $${cached} cached input, $${made} output`
  return [`  Price             ${rates} per million tokens`]
}

/** A server in a container does not know by which port it is reached. */
function portNote({ listening }: Ready, { place }: Reader): string[] {
  if (place === 'shell' || listening !== undefined) return []
  return [
    '',
    '  The port is that in the container: outside, take the one that it was published as.',
  ]
}

function stopLine({ place }: Reader): string {
  return place === 'shell' ? 'Stop with Ctrl-C.' : 'Stop with Ctrl-C or docker stop.'
}

function ownerNote(link: string | undefined): string[] {
  if (link === undefined) return []
  return [
    '',
    '  Open this once, within a day, to become the owner of the dashboard:',
    '',
    `  ${link}`,
  ]
}

function toyNote(toy: boolean, { place }: Reader): string[] {
  if (!toy) return []
  const own =
    place === 'shell'
      ? 'Run your own with SVC_MODEL=/path/to/model.gguf npm start'
      : 'Run your own, on a volume, with -e SVC_MODEL=/models/model.gguf'
  return [
    '',
    '  The bundled model is a toy of 4 million parameters: it shows real inference and real',
    `  billing, and answers little. ${own}`,
  ]
}

function unpricedNote(ready: Ready, reader: Reader): string[] {
  if (ready.unpricedModels.length === 0) return []
  const { pricedFrom } = ready
  const before = pricedFrom === undefined ? '' : ` before ${pricedFrom}`
  const until = pricedFrom === undefined ? 'there is one' : 'then, or until another is'
  return [
    '',
    `  No price is in force for ${ready.unpricedModels.join(', ')}${before}: every request is`,
    `  refused until ${until}, in dollars per million tokens:`,
    '',
    `  ${svcOf(ready, reader)} ${PUBLISH_A_PRICE}`,
  ]
}

function firstRun(ready: Ready, reader: Reader): string[] {
  const { apiKey } = ready
  const svc = svcOf(ready, reader)
  return [
    '',
    `  API key           ${apiKey}`,
    '                    shown this once: store it now ($5.00 of credit is on the account)',
    '',
    'Try it:',
    '',
    `  curl ${ready.baseUrl}/v1/chat/completions \\`,
    `    -H 'Authorization: Bearer ${apiKey}' \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -d '{"model":"${MODEL}","messages":[{"role":"user","content":"What is the capital of France?"}]}'`,
    '',
    ...(ready.hasViews ? costLines(svc) : costElsewhereLines(ready, reader)),
  ]
}

function costLines(svc: string): string[] {
  return [
    'What did it cost, and why?',
    '',
    `  ${svc} statement           every debit of the account, with the balance after it`,
    `  ${svc} explain REQUEST_ID  its tokens, its price, the arithmetic, the events`,
    `  ${svc} verify              the hash chain of the whole history`,
  ]
}

/** A gateway without views refuses these commands, and no other folder knows its demo account. */
function costElsewhereLines({ accountId }: Ready, { place }: Reader): string[] {
  const svc = place === 'shell' ? "./svc --data-dir 'FOLDER'" : 'docker exec CONTAINER svc'
  return [
    'What did it cost, and why? Ask a server with views, such as a projector:',
    '',
    `  ${svc} statement ${accountId}`,
    `  ${svc} explain REQUEST_ID`,
  ]
}

function secondRun(ready: Ready, reader: Reader): string[] {
  if (ready.accountId === undefined) return []
  const command = `${svcOf(ready, reader)} key create ${ready.accountId} --name NAME`
  return ['', `  A new API key     ${command}`]
}

/** Calls the command line, with the folder where it does not look there by itself. */
function svcOf({ dataDir }: Ready, reader: Reader): string {
  const svc = reader.place === 'shell' ? './svc' : 'docker exec CONTAINER svc'
  return dataDir === reader.dataDir ? svc : `${svc} --data-dir '${dataDir}'`
}
