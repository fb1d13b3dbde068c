/** What can be set of the dashboard: whether there is one, who may come in, and how it looks. */
import { type PicoDollars, parseDollars } from '@svc/contracts/money'
import { oneOf, text, whole } from '@svc/worker/settings/worker-variables'
import { z } from 'zod'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const IDLE_MS_DEFAULT = 30 * MINUTE_MS
const ABSOLUTE_MS_DEFAULT = 12 * 60 * MINUTE_MS
const BRAND_CHARACTERS_MAX = 60
const TEXT_CHARACTERS_MAX = 1_000
/** A small image, where it is not a path. */
const LOGO_CHARACTERS_MAX = 65_536

const credit = z.string().transform((given, context): PicoDollars => {
  try {
    const amount = parseDollars(given)
    if (amount >= 0n) return amount
  } catch {}
  context.addIssue({ code: 'custom', message: 'must be dollars, such as 5.00' })
  return z.NEVER
})

const brandText = text.max(TEXT_CHARACTERS_MAX)
/** A page that loads nothing from elsewhere: the image is on this origin, or in the setting. */
const logo = z
  .string()
  .max(LOGO_CHARACTERS_MAX)
  .regex(/^(\/(?!\/)|data:image\/)/, 'must be a path such as /logo.svg, or data:image/…')

export const dashboardVariables = {
  /** Whether pages of keys, usage and chat are served, and people can sign in. */
  SVC_DASHBOARD: oneOf(['on', 'off']).default('on'),
  /** Who comes in: whom an operator invites, also whom owners of accounts invite, or everybody. */
  SVC_SIGN_UP: oneOf(['closed', 'invitation', 'open']).default('closed'),
  /** The credit of an account that somebody opens for themselves, in dollars. */
  SVC_SIGN_UP_CREDIT: credit.optional(),
  /** How long a session lasts without a request, and in any case. */
  SVC_SESSION_IDLE_MS: whole(MINUTE_MS, 30 * DAY_MS).default(IDLE_MS_DEFAULT),
  SVC_SESSION_MAX_MS: whole(MINUTE_MS, 90 * DAY_MS).default(ABSOLUTE_MS_DEFAULT),
  /** What the pages call the service. */
  SVC_BRAND_NAME: text.max(BRAND_CHARACTERS_MAX).default('svc'),
  SVC_BRAND_LOGO: logo.optional(),
  SVC_BRAND_COLOR: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'must be such as #3355aa')
    .optional(),
  /** Whom customers ask: an e-mail address or a URL. */
  SVC_SUPPORT: brandText.optional(),
  SVC_TERMS_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  /** Below it the pages and the feed say that a balance is low. */
  SVC_LOW_BALANCE: credit.default(parseDollars('1')),
  /** How credit is bought, in the operator's words. */
  SVC_CREDIT_TEXT: brandText.optional(),
}
