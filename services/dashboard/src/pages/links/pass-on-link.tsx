import { momentText } from '../../text/times.ts'
import { t } from '../../text/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/copying/code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useShownOnce } from '../shown-once.ts'

export interface PassOnLinkProps {
  readonly issued: { readonly link: string; readonly expires_at: string }
  readonly onClose: () => void
}

/** A link as it is seen once: no mail is sent, whoever made it passes it on. */
export function PassOnLink({ issued, onClose }: PassOnLinkProps) {
  useShownOnce()
  return (
    <Dialog title={t('invitationMade')} isSticky onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>{t('invitationPassOn', { time: momentText(issued.expires_at) })}</p>
        <Code label={t('link')} text={issued.link} />
        <div className="flex justify-end">
          <Button look="main" onClick={onClose}>
            {t('done')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
