/** What a server tells its operator about itself once it answers requests. */
import type { WorkerSummary } from '@svc/contracts/admin/workers'
import { LINK_PATH } from '@svc/contracts/dashboard/declaration'
import type { Rates } from '@svc/contracts/price'
import { MODEL } from '@svc/contracts/wire/models'
import type { UnpricedModels } from '@svc/operator/operations/unpriced-models'
import type { Core } from '../core/core.ts'
import type { DemoAccount } from '../core/first-run.ts'
import type { DataFolder } from '../data-folder/data-folder.ts'
import type { RoleName } from './role.ts'

export interface Ready {
  readonly role: RoleName
  /** The address to give to clients: the public one, if there is one. */
  readonly baseUrl: string
  /** Host and port on which it listens; undefined when the base URL shows them. */
  readonly listening: string | undefined
  /** The address of the operator's API; left out when that is the base URL. */
  readonly adminUrl?: string
  /** The secret of the demo key; only on the run that made it. */
  readonly apiKey: string | undefined
  /** The demo account; undefined for a restored ledger without an account. */
  readonly accountId: string | undefined
  /** Whether people can sign in at this server. */
  readonly hasDashboard: boolean
  /** Whether it answers its operator's questions about requests and money itself. */
  readonly hasViews: boolean
  /** The link that makes the first owner of the dashboard, once; left out when there is one. */
  readonly ownerLink?: string
  readonly dataDir: string
  readonly pid: number
  readonly modelName: string
  /** Whether the model is a toy, for trying the server out: its answers make no sense. */
  readonly toy: boolean
  /** Names of served models that have no price. */
  readonly unpricedModels: readonly string[]
  /** RFC 3339: when an announced price ends that; left out when none is announced. */
  readonly pricedFrom?: string
  /** The price of an account without a price list of its own; left out when none is in force. */
  readonly price?: Rates
}

interface StartedServer {
  readonly role: RoleName
  readonly baseUrl: string
  readonly publicUrl: string | undefined
  readonly adminUrl: string
  readonly demo: DemoAccount
  readonly folder: DataFolder
  readonly workers: readonly WorkerSummary[]
  readonly unpriced: UnpricedModels
  readonly ledger: Core['ledger']
  readonly hasDashboard: boolean
  readonly hasViews: boolean
  readonly ownerSecret: string | undefined
}

export function readyOf({
  role,
  baseUrl,
  publicUrl,
  adminUrl,
  demo,
  folder,
  workers,
  unpriced,
  ledger,
  hasDashboard,
  hasViews,
  ownerSecret,
}: StartedServer): Ready {
  const worker = workers.find(({ status }) => status === 'ready')
  const price = ledger.pricing.current(MODEL, worker?.toy)
  return {
    role,
    baseUrl: publicUrl ?? baseUrl,
    listening: publicUrl && new URL(baseUrl).host,
    ...(adminUrl === baseUrl ? {} : { adminUrl }),
    apiKey: demo.apiKey,
    accountId: demo.accountId,
    hasDashboard,
    hasViews,
    ...(ownerSecret === undefined
      ? {}
      : { ownerLink: `${publicUrl ?? baseUrl}${LINK_PATH}#${ownerSecret}` }),
    dataDir: folder.path,
    pid: process.pid,
    modelName: worker?.model_name ?? 'no worker answers yet',
    toy: worker?.toy ?? false,
    unpricedModels: unpriced.names,
    ...(unpriced.pricedFrom === null
      ? {}
      : { pricedFrom: new Date(unpriced.pricedFrom).toISOString() }),
    ...(price === null ? {} : { price }),
  }
}
