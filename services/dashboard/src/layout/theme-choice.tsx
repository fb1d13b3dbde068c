import { useState } from 'react'
import { t } from '../text/translate.ts'

const STORED_AS = 'svc-theme'

const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

/** Light, dark, or as the system is. `theme.js` sets what was chosen before the first paint. */
export function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme)
  const choose = (next: Theme) => {
    setTheme(next)
    if (next === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = next
    try {
      localStorage.setItem(STORED_AS, next)
    } catch {
      // Storage is switched off: the choice holds until the page is left.
    }
  }
  return (
    <select
      aria-label={t('theme')}
      className="min-h-8 rounded-md border border-edge bg-paper px-1"
      value={theme}
      onChange={({ target }) => choose(target.value as Theme)}
    >
      <option value="system">{t('themeSystem')}</option>
      <option value="light">{t('themeLight')}</option>
      <option value="dark">{t('themeDark')}</option>
    </select>
  )
}

function chosenTheme(): Theme {
  const { theme } = document.documentElement.dataset
  return themes.find((each) => each === theme) ?? 'system'
}
