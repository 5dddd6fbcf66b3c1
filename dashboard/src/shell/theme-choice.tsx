import { useState } from 'react'
import { chooseTheme, currentTheme, type Theme, themes } from './theme.ts'

const names: Record<Theme, string> = { system: 'As the system', light: 'Light', dark: 'Dark' }

export function ThemeChoice() {
  const [theme, setTheme] = useState(currentTheme)
  return (
    <label className="field small">
      <span className="hidden-text">Theme</span>
      <select
        value={theme}
        onChange={({ target }) => {
          const chosen = target.value as Theme
          chooseTheme(chosen)
          setTheme(chosen)
        }}
      >
        {themes.map((one) => (
          <option key={one} value={one}>
            {names[one]}
          </option>
        ))}
      </select>
    </label>
  )
}
