import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { adminLines } from '../../../api/admin-lines.ts'
import type { ApiError } from '../../../api/api-error.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Form, FormProblem } from '../../../ui/forms/form.tsx'
import { t } from '../operator-text.ts'
import { saveText } from '../running/save-text.ts'

/** The history of an account as a file that proves itself, for `svc verify-evidence`. */
export function EvidenceExport() {
  const [account, setAccount] = useState('')
  const save = useMutation<void, ApiError>({
    mutationFn: async () => {
      const pieces: string[] = []
      const input = { account_id: account }
      for await (const { text } of adminLines('exportEvidence', input)) pieces.push(text)
      saveText(`evidence-${account}.jsonl`, 'application/jsonl', pieces)
    },
  })
  return (
    <Form error={save.error} className="flex flex-col gap-3" onSubmit={() => save.mutate()}>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-60 flex-1">
          <Field
            label={t('evidenceOf')}
            name="account_id"
            required
            placeholder="acct_…"
            value={account}
            onChange={({ target }) => setAccount(target.value.trim())}
          />
        </div>
        <Button type="submit" disabled={save.isPending}>
          {t('evidenceSave')}
        </Button>
      </div>
      <FormProblem />
    </Form>
  )
}
