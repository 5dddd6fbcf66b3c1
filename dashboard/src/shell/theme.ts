export const themeNames = { system: 'As the system', light: 'Light', dark: 'Dark' }
export type Theme = keyof typeof themeNames

const storageKey = 'trawl-theme'

export function currentTheme(): Theme {
  const kept = localStorage.getItem(storageKey) ?? ''
  return kept in themeNames ? (kept as Theme) : 'system'
}

export function chooseTheme(theme: Theme): Theme {
  localStorage.setItem(storageKey, theme)
  applyTheme()
  for (const listener of listeners) listener()
  return theme
}

/** `tokens.css` follows the attribute, and without it the system. */
export function applyTheme(): void {
  const theme = currentTheme()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

const listeners = new Set<() => void>()

/** For canvases, which do not follow by themselves; paper is light as well. */
export function onThemeChange(listener: () => void): () => void {
  const queries = ['(prefers-color-scheme: dark)', 'print'].map((query) => matchMedia(query))
  for (const query of queries) query.addEventListener('change', listener)
  listeners.add(listener)
  return () => {
    for (const query of queries) query.removeEventListener('change', listener)
    listeners.delete(listener)
  }
}
