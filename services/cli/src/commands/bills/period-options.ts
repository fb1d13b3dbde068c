/** The options that questions about the use of an account have in common. */
import { systemClock } from '@svc/infra/system/system-clock'
import type { Command } from 'commander'
import type { Context } from '../../context/context.ts'

export interface PeriodOptions {
  readonly from?: string
  readonly to?: string
  readonly tz: string
  readonly key?: string
  readonly model?: string
  readonly cursor?: string
}

export function withPeriod(command: Command): Command {
  return command
    .option('--from <time>', 'from this day or time on: 2026-11-01 or RFC 3339')
    .option('--to <time>', 'before this day or time')
    .option('--tz <zone>', 'the time zone whose days they are, such as Europe/Berlin', 'UTC')
    .option('--key <id>', 'only of this key')
    .option('--model <model>', 'only of this model')
    .option('--cursor <cursor>', 'where the page before ended')
}

/** Gives the period as the operations have it. They check what it says. */
export function periodInput({ from, to, tz, key, model, cursor }: PeriodOptions) {
  return {
    zone: tz,
    from,
    to,
    key_id: key,
    model,
    cursor,
  }
}

/**
 * Who names the end of a period takes what is answered for final.
 *
 * @param to the end that was asked for, in RFC 3339
 */
export function noteOpenPeriod(context: Context, to: string): void {
  if (Date.parse(to) <= systemClock.nowMs()) return
  context.note(`the period before ${to} is not over: these figures go on changing`)
}
