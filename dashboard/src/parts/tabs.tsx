import { Tabs as BaseTabs } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

/** Contents by their names; the first is shown. */
export function Tabs({
  label,
  tabs,
}: {
  label: string
  tabs: Readonly<Record<string, ReactNode>>
}) {
  const names = Object.keys(tabs)
  return (
    <BaseTabs.Root defaultValue={names[0]} className="stack">
      <BaseTabs.List className="tabs-list" aria-label={label}>
        {names.map((name) => (
          <BaseTabs.Tab key={name} value={name} className="tab">
            {name}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {names.map((name) => (
        <BaseTabs.Panel key={name} value={name}>
          {tabs[name]}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  )
}
