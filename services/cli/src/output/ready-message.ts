/** Makes what `svc start` says when it is ready: one JSON line for programs, a page for people. */
import { resolve } from 'node:path'
import { formatPricePerMillion } from '@svc/contracts/money'
import type { Rates } from '@svc/contracts/price'
import { MODEL } from '@svc/contracts/wire/models'
import { PUBLISH_A_PRICE } from '@svc/operator/operations/unpriced-models'
import { DEFAULT_DATA_DIR } from '@svc/server/data-folder/data-folder'
import type { Ready } from '@svc/server/roles/all'

/** Writes one line, without the newline. */
export function readyLine(ready: Ready): string {
  const { baseUrl, listening, adminUrl, apiKey, accountId, ownerLink, dataDir, pid } = ready
  return JSON.stringify({
    type: 'ready',
    ...(ready.role === 'all' ? {} : { role: ready.role }),
    baseUrl,
    ...(listening === undefined ? {} : { listening }),
    ...(adminUrl === undefined ? {} : { adminUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
    accountId,
    ...(ownerLink === undefined ? {} : { ownerLink }),
    dataDir,
    pid,
    ...(ready.unpricedModels.length === 0 ? {} : { unpricedModels: ready.unpricedModels }),
    ...(ready.pricedFrom === undefined ? {} : { pricedFrom: ready.pricedFrom }),
  })
}

export function readyPage(ready: Ready): string {
  return isGateway(ready) ? gatewayPage(ready) : besidePage(ready)
}

function isGateway({ role }: Ready): boolean {
  return role === 'all' || role === 'gateway'
}

/** The message of a process that clients do not ask. */
function besidePage(ready: Ready): string {
  const { role, baseUrl, adminUrl = baseUrl, dataDir } = ready
  return [
    '',
    `The ${role} is ready.`,
    '',
    `  Is it ready?      ${baseUrl}/readyz`,
    ...dashboardLine(ready),
    `  Operator's API    ${adminUrl}`,
    `  Data              ${dataDir}`,
    ...ownerNote(ready.ownerLink),
    '',
    'Stop with Ctrl-C.',
    '',
  ].join('\n')
}

function gatewayPage(ready: Ready): string {
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
    `  Account           ${ready.accountId ?? noAccount(ready)}`,
    `  Data              ${ready.dataDir}`,
    ...ownerNote(ready.ownerLink),
    ...toyNote(ready.toy),
    ...unpricedNote(ready),
    ...(ready.apiKey === undefined ? secondRun(ready) : firstRun(ready, ready.apiKey)),
    '',
    'Stop with Ctrl-C.',
    '',
  ].join('\n')
}

/** People may be signed in elsewhere, or nowhere. */
function dashboardLine({ hasDashboard, baseUrl }: Ready): string[] {
  return hasDashboard ? [`  Dashboard         ${baseUrl}/`] : []
}

function noAccount(ready: Ready): string {
  return `none yet: ./svc${folderFlag(ready)} account open --name NAME`
}

function priceLines({ input, cachedInput, output }: Rates): string[] {
  const [computed, cached, made] = [input, cachedInput, output].map(formatPricePerMillion)
  const rates = `$${computed} input, $${cached} cached input, $${made} output`
  return [`  Price             ${rates} per million tokens`]
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

function toyNote(toy: boolean): string[] {
  if (!toy) return []
  return [
    '',
    '  The bundled model is a toy of 4 million parameters: it shows real inference and real',
    '  billing, and answers little. Run your own with SVC_MODEL=/path/to/model.gguf npm start',
  ]
}

function unpricedNote(ready: Ready): string[] {
  if (ready.unpricedModels.length === 0) return []
  const { pricedFrom } = ready
  const before = pricedFrom === undefined ? '' : ` before ${pricedFrom}`
  const until = pricedFrom === undefined ? 'there is one' : 'then, or until another is'
  return [
    '',
    `  No price is in force for ${ready.unpricedModels.join(', ')}${before}: every request is`,
    `  refused until ${until}, in dollars per million tokens:`,
    '',
    `  ./svc${folderFlag(ready)} ${PUBLISH_A_PRICE}`,
  ]
}

function firstRun(ready: Ready, apiKey: string): string[] {
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
    'What did it cost, and why?',
    '',
    `  ./svc${folderFlag(ready)} statement           every debit of the account, with the balance after it`,
    `  ./svc${folderFlag(ready)} explain REQUEST_ID  its tokens, its price, the arithmetic, the events`,
    `  ./svc${folderFlag(ready)} verify              the hash chain of the whole history`,
  ]
}

function secondRun(ready: Ready): string[] {
  if (ready.accountId === undefined) return []
  const command = `./svc${folderFlag(ready)} key create ${ready.accountId} --name NAME`
  return ['', `  A new API key     ${command}`]
}

/** Names the folder where the CLI does not look there by itself. */
function folderFlag({ dataDir }: Ready): string {
  return dataDir === resolve(DEFAULT_DATA_DIR) ? '' : ` --data-dir '${dataDir}'`
}
