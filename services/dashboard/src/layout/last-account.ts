/** The account that was open last in this browser: a sign-in leads to it. */
const STORED_AS = 'svc-account'

export function lastAccount(): string | null {
  try {
    return localStorage.getItem(STORED_AS)
  } catch {
    return null
  }
}

export function rememberAccount(accountId: string): void {
  try {
    localStorage.setItem(STORED_AS, accountId)
  } catch {
    // Storage is switched off: the first account is the one to begin with.
  }
}
