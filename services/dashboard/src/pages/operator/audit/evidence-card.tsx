import { useQuery } from '@tanstack/react-query'
import { askAdmin } from '../../../api/admin.ts'
import { countText } from '../../../text/times.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Card } from '../../../ui/card.tsx'
import { Code } from '../../../ui/copying/code.tsx'
import { t } from '../operator-text.ts'
import { EvidenceExport } from './evidence-export.tsx'

/** What customers check their own history with. */
export function EvidenceCard() {
  const query = useQuery(askAdmin('evidenceKey', {}))
  return (
    <Card title={t('evidence')}>
      <Answer query={query}>
        {({ key, checkpoint, verified_to: verifiedTo, rotations }) => (
          <div className="flex flex-col gap-4">
            <p>
              {verifiedTo === null
                ? t('evidenceNone')
                : t('evidenceTo', { count: countText(verifiedTo) })}
            </p>
            <Code label={t('evidenceKey')} text={key} />
            {checkpoint !== null && <Code label={t('evidenceCheckpoint')} text={checkpoint} />}
            <EvidenceExport />
            {rotations.length > 0 && (
              <p className="text-sm text-soft">
                {t('evidenceRotations', { count: rotations.length })}
              </p>
            )}
          </div>
        )}
      </Answer>
    </Card>
  )
}
