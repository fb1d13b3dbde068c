import type { AccountDetails } from '@svc/contracts/admin/accounts'
import type { OperationName } from '@svc/contracts/admin/operations'
import { type ComponentType, useState } from 'react'
import { useMay } from '../../../api/admin.ts'
import { Button } from '../../../ui/button.tsx'
import { type PlainName, t } from '../operator-text.ts'
import type { AccountDialogProps } from './changes/account-dialog.ts'
import { Adjust } from './changes/adjust.tsx'
import { CloseAccount } from './changes/close-account.tsx'
import { FreezeAccount, UnfreezeAccount } from './changes/freeze-account.tsx'
import { Grant } from './changes/grant.tsx'
import { RenameAccount } from './changes/rename-account.tsx'
import { SetPriceList } from './changes/set-price-list.tsx'
import { SetSpendPolicy } from './changes/set-spend-policy.tsx'

interface Action {
  readonly operation: OperationName
  readonly name: PlainName
  readonly look?: 'main' | 'plain' | 'danger'
  readonly isFor: (status: AccountDetails['status']) => boolean
  readonly Form: ComponentType<AccountDialogProps>
}

const whileOpen = (status: AccountDetails['status']) => status !== 'closed'

const actions: readonly Action[] = [
  { operation: 'grant', name: 'grant', look: 'main', isFor: whileOpen, Form: Grant },
  { operation: 'adjust', name: 'adjust', isFor: whileOpen, Form: Adjust },
  { operation: 'renameAccount', name: 'rename', isFor: whileOpen, Form: RenameAccount },
  { operation: 'setPriceList', name: 'setPriceList', isFor: whileOpen, Form: SetPriceList },
  { operation: 'setSpendPolicy', name: 'spendPolicy', isFor: whileOpen, Form: SetSpendPolicy },
  {
    operation: 'freezeAccount',
    name: 'freeze',
    isFor: (status) => status === 'open',
    Form: FreezeAccount,
  },
  {
    operation: 'unfreezeAccount',
    name: 'unfreeze',
    isFor: (status) => status === 'frozen',
    Form: UnfreezeAccount,
  },
  {
    operation: 'closeAccount',
    name: 'closeAccount',
    look: 'danger',
    isFor: whileOpen,
    Form: CloseAccount,
  },
]

/** What can be done with an account in its state, by whoever is signed in. */
export function AccountActions({ account }: Pick<AccountDialogProps, 'account'>) {
  const may = useMay()
  const [opened, setOpened] = useState<Action>()
  const offered = actions.filter(({ operation, isFor }) => may(operation) && isFor(account.status))
  return (
    <div className="flex flex-wrap gap-2">
      {offered.map((action) => (
        <Button key={action.name} look={action.look ?? 'plain'} onClick={() => setOpened(action)}>
          {t(action.name)}
        </Button>
      ))}
      {opened !== undefined && (
        <opened.Form account={account} onClose={() => setOpened(undefined)} />
      )}
    </div>
  )
}
