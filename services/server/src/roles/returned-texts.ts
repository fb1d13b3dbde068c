/**
 * Looks, at the start, whether a `texts.db` from before an erasure was put back into the folder,
 * and erases what came back with it. On an EventStoreDB texts and events come back together only.
 */
import { pause, runUntilStopped, type Timer } from '@svc/contracts/ports/time'
import { eraseReturnedTexts } from '@svc/ledger/returned-texts'
import type { Logger } from 'pino'
import type { Core } from '../core/core.ts'

/** After this time a stop is looked for. A view that is built anew may take minutes. */
const VIEW_WAIT_MS = 1_000
/** The looks after a failed one, and while the view is not there. */
const RETRY_MS = 10_000
/** Accounts and others in one step, a few milliseconds. */
const PAGE_SUBJECTS = 250

type ReturnedTextsPorts = Pick<Core, 'store' | 'texts' | 'projections' | 'pace'> & {
  readonly timer: Timer
  readonly logger: Logger
}

/** @returns stops it, and waits for the look that is on */
export function startErasingReturnedTexts(ports: ReturnedTextsPorts): () => Promise<void> {
  const { texts, projections, pace, timer, logger } = ports
  return runUntilStopped(async (signal) => {
    const erasures = (after: string) =>
      pace.step(() =>
        signal.aborted ? [] : projections.views.erasures({ after, limit: PAGE_SUBJECTS }),
      )
    while (!signal.aborted) {
      try {
        if (await isViewThere(ports)) {
          const count = await eraseReturnedTexts({ texts, erasures })
          if (count > 0) logger.warn({ texts: count }, 'erased texts had come back, erased again')
          return
        }
      } catch (err) {
        logger.error({ err }, 'failed to look for erased texts that came back, retrying')
      }
      await pause(timer, RETRY_MS, signal)
    }
  })
}

async function isViewThere({
  store,
  projections,
}: Pick<Core, 'store' | 'projections'>): Promise<boolean> {
  return projections.reached(await store.lastPosition(), VIEW_WAIT_MS, 'accounts')
}
