/** Ids and money as operators give them, read exactly or refused. */
import { ServiceError } from '@svc/contracts/errors'
import { isId } from '@svc/contracts/ids'
import { type PicoDollars, parseDollars, parsePricePerMillion } from '@svc/contracts/money'

/** @throws {ServiceError} `not_found`: what cannot be an id names nothing */
export function checkAccountId(accountId: string): void {
  if (!isId('acct', accountId)) throw noSuchAccount(accountId)
}

export function noSuchAccount(accountId: string): ServiceError {
  return noSuch('account_id', 'account', accountId)
}

/**
 * @param param the field that named it
 * @param advice a sentence that says where to look instead
 */
export function noSuch(param: string, what: string, id: string, advice?: string): ServiceError {
  const message = `There is no ${what} ${id}.`
  const whole = advice === undefined ? message : `${message} ${advice}`
  return new ServiceError('not_found', whole, { param })
}

/** Dollars above zero. @throws {ServiceError} `invalid_value` */
export function readAmount(text: string): PicoDollars {
  const amount = readMoney(text, 'amount', parseDollars)
  if (amount > 0n) return amount
  throw new ServiceError('invalid_value', 'amount: must be above zero', { param: 'amount' })
}

/** Dollars, above or below zero. @throws {ServiceError} `invalid_value` */
export function readSignedAmount(text: string): PicoDollars {
  return readMoney(text, 'amount', parseDollars)
}

/** Dollars per million tokens. @throws {ServiceError} `invalid_value` */
export function readPrice(text: string, param: string): PicoDollars {
  return readMoney(text, param, parsePricePerMillion)
}

function readMoney(text: string, param: string, read: (text: string) => PicoDollars): PicoDollars {
  try {
    return read(text)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new ServiceError('invalid_value', `${param}: ${cause.message}`, { param, cause })
  }
}
