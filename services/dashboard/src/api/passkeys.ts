/** Asks the browser for a passkey. Loaded when somebody uses one. */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { DashboardInput, DashboardOutput } from '@svc/contracts/dashboard/operations'

/** @throws {Error} when the person stops, or the browser has none for this service */
export async function signedByPasskey({
  options,
}: DashboardOutput<'startPasskeySignIn'>): Promise<
  DashboardInput<'signInByPasskey'>['credential']
> {
  const { id, rawId, response } = await startAuthentication({ optionsJSON: options })
  return { id, rawId, type: 'public-key', response }
}

/** @throws {Error} when the person stops, or the authenticator has one already */
export async function madePasskey({
  options,
}: DashboardOutput<'startPasskey'>): Promise<DashboardInput<'addPasskey'>['credential']> {
  const { id, rawId, response } = await startRegistration({ optionsJSON: options })
  const { clientDataJSON, attestationObject, transports = [] } = response
  return {
    id,
    rawId,
    type: 'public-key',
    response: { clientDataJSON, attestationObject, transports },
  }
}
