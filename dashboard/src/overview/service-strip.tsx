import { useQuery } from '@tanstack/react-query'
import type { Capabilities, Pressure } from '@trawl/sdk'
import type { ReactNode } from 'react'
import { trawl } from '../client.ts'
import { Badge, type Tone } from '../parts/controls.tsx'
import { Facts, Panel } from '../parts/panel.tsx'
import { bytesText, countText, shareText } from '../parts/value-text.ts'
import { oldestText } from './sum-up-series.ts'

/** Engines, proxies, deliveries and the load of the service. */
export function ServiceStrip() {
  const { data: capabilities } = useQuery({
    queryKey: ['capabilities'],
    queryFn: ({ signal }) => trawl.service.getCapabilities({ signal }),
    refetchInterval: 30_000,
  })
  const { data: pressure } = useQuery({
    queryKey: ['pressure', 'service'],
    queryFn: ({ signal }) => trawl.service.getPressure({ signal }),
    refetchInterval: 5_000,
  })
  return (
    <Panel title="Engines, proxies and service">
      <Facts
        facts={{
          ...(capabilities && engineFacts(capabilities)),
          ...(pressure && pressureFacts(pressure)),
        }}
      />
    </Panel>
  )
}

const toneOfBrowser: Record<Capabilities['engines']['browser']['state'], Tone> = {
  ready: 'good',
  installing: 'warn',
  absent: 'warn',
  broken: 'bad',
}

function engineFacts({ engines, proxies, ...service }: Capabilities): Record<string, ReactNode> {
  const { state, version, sandbox } = engines.browser
  return {
    Browser: (
      <div className="row">
        <Badge tone={toneOfBrowser[state]}>{state}</Badge>
        {version && <span>{version}</span>}
        {sandbox && <span className="soft">sandbox {sandbox}</span>}
      </div>
    ),
    Proxies: (
      <div className="row">
        {proxies.total === 0 ? 'none: connections are direct' : countText(proxies.total)}
        {proxies.cooling_down > 0 && (
          <Badge tone="warn">{countText(proxies.cooling_down)} cooling down</Badge>
        )}
      </div>
    ),
    Service: `${service.version}, ${service.store}`,
  }
}

function pressureFacts(pressure: Pressure): Record<string, ReactNode> {
  const { accepting, message, queue, memory, disk } = pressure
  const { waiting, oldest_age_seconds } = queue.lanes.delivery
  return {
    'New work': (
      <>
        <Badge tone={accepting ? 'good' : 'bad'}>{accepting ? 'accepted' : 'refused'}</Badge>{' '}
        {message}
      </>
    ),
    Deliveries: `${countText(waiting)} waiting: ${oldestText(waiting, oldest_age_seconds * 1_000)}`,
    Memory: `${bytesText(memory.resident_bytes)} of ${bytesText(memory.resident_bytes_max)}`,
    Disk: disk.free_share === null ? 'unknown' : `${shareText(disk.free_share, 1)} free`,
  }
}
