import { t } from '../../text/translate.ts'
import { Field } from '../../ui/forms/field.tsx'
import type { ChatSettings } from './conversation.ts'

const TOKENS_MAX = 8_192
const TEMPERATURE_MAX = 2

export interface SettingsFieldsProps {
  readonly settings: ChatSettings
  readonly onChange: (settings: ChatSettings) => void
}

/** What the model is told beside the questions; folded, since most never need it. */
export function SettingsFields({ settings, onChange }: SettingsFieldsProps) {
  const set = (changed: Partial<ChatSettings>) => onChange({ ...settings, ...changed })
  return (
    <details className="rounded-md border border-line px-3 py-2 text-sm">
      <summary>{t('modelSettings')}</summary>
      <div className="mt-3 grid gap-3 md:grid-cols-3">
        <Field
          label={t('systemText')}
          value={settings.system}
          onChange={({ target }) => set({ system: target.value })}
        />
        <Field
          label={t('maxTokens')}
          type="number"
          min={1}
          max={TOKENS_MAX}
          value={settings.maxTokens}
          onChange={({ target }) => set({ maxTokens: target.valueAsNumber || 1 })}
        />
        <Field
          label={t('temperature')}
          type="number"
          min={0}
          max={TEMPERATURE_MAX}
          step={0.1}
          value={settings.temperature}
          onChange={({ target }) => set({ temperature: target.valueAsNumber || 0 })}
        />
      </div>
    </details>
  )
}
