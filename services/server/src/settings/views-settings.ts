/** Where a gateway asks what the views know, when it has none of its own. */
import { secret } from '@svc/worker/settings/worker-variables'
import { z } from 'zod'

const VIEW_SERVERS_MAX = 16
const FORM = 'must be http://host:port, separated by commas'

const origin = z.string().refine((text) => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text
}, FORM)

export const viewsVariables = {
  /** Projectors, comma-separated: a gateway that names them builds no views. */
  SVC_VIEWS_URL: z
    .string()
    .transform((given) => (given === '' ? undefined : given.split(',').map((each) => each.trim())))
    .pipe(
      z
        .array(origin)
        .max(VIEW_SERVERS_MAX, `must be ${VIEW_SERVERS_MAX} servers at most`)
        .optional(),
    )
    .optional(),
  /** Shared by those gateways and the projectors. */
  SVC_VIEWS_SECRET: secret.optional(),
}

type ViewsSettings = z.output<z.ZodObject<typeof viewsVariables>>

/** @returns what to say of settings that only make sense together */
export function viewsProblem(settings: ViewsSettings): string | undefined {
  if (settings.SVC_VIEWS_URL === undefined || settings.SVC_VIEWS_SECRET !== undefined) return
  return 'SVC_VIEWS_URL needs SVC_VIEWS_SECRET, which its servers share with the gateways'
}
