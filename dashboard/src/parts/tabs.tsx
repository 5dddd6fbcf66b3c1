import { Tabs as BaseTabs } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

export interface TabContent {
  name: string
  content: ReactNode
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly TabContent[] }) {
  return (
    <BaseTabs.Root defaultValue={tabs[0]?.name} className="stack">
      <BaseTabs.List className="tabs-list" aria-label={label}>
        {tabs.map(({ name }) => (
          <BaseTabs.Tab key={name} value={name} className="tab">
            {name}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map(({ name, content }) => (
        <BaseTabs.Panel key={name} value={name}>
          {content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  )
}
