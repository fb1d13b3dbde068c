import type { DashboardOutput } from '@svc/contracts/dashboard/operations'

/** What a dialog about one key is given. */
export interface KeyDialogProps {
  readonly apiKey: DashboardOutput<'listAccountKeys'>[number]
  readonly onClose: () => void
}
