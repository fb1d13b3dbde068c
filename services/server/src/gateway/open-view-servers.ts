/** Opens what a gateway without views asks for them. */
import { ViewServers } from '@svc/gateway/views-hop/view-servers'
import { CountedWarnings } from '@svc/infra/system/counted-warnings'
import { systemTimer } from '@svc/infra/system/system-timer'
import type { Logger } from 'pino'
import type { OpenResources } from '../core/open-resources.ts'
import type { Settings } from '../settings/settings.ts'

/** Does not wait for them. @returns undefined where none are named */
export function openViewServers(
  { SVC_VIEWS_URL: urls, SVC_VIEWS_SECRET: secret }: Settings,
  logger: Logger,
  parts: OpenResources,
): ViewServers | undefined {
  if (urls === undefined || secret === undefined) return undefined
  const warnings = new CountedWarnings({ logger, timer: systemTimer })
  const servers = new ViewServers({
    urls,
    secret,
    timer: systemTimer,
    onTrouble: (cause) => warnings.warn('no server of views answers: questions are refused', cause),
  })
  parts.add(() => servers.close())
  return servers
}
