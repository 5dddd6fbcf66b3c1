import { useQuery } from '@tanstack/react-query'
import type { Capabilities, Pressure } from '@trawl/sdk'
import { Badge, type Tone } from '../parts/controls.tsx'
import { Panel } from '../parts/panel.tsx'
import { bytesText, countText, shareText } from '../parts/value-text.ts'
import { capabilitiesQuery, pressureQuery } from './overview-queries.ts'
import { oldestText } from './sum-up-series.ts'

/** Engines, proxies, deliveries and the load of the service. */
export function ServiceStrip() {
  const { data: capabilities } = useQuery(capabilitiesQuery)
  const { data: pressure } = useQuery(pressureQuery)
  return (
    <Panel title="Engines, proxies and service">
      <dl className="facts">
        {capabilities && <EngineFacts capabilities={capabilities} />}
        {pressure && <PressureFacts pressure={pressure} />}
      </dl>
    </Panel>
  )
}

type BrowserState = Capabilities['engines']['browser']['state']

const toneOfBrowser: Record<BrowserState, Tone> = {
  ready: 'good',
  installing: 'warn',
  absent: 'warn',
  broken: 'bad',
}

function EngineFacts({ capabilities }: { capabilities: Capabilities }) {
  const { engines, proxies, version, store } = capabilities
  const { state, version: browserVersion, sandbox } = engines.browser
  return (
    <>
      <dt>Browser</dt>
      <dd className="row">
        <Badge tone={toneOfBrowser[state]}>{state}</Badge>
        {browserVersion && <span>{browserVersion}</span>}
        {sandbox && <span className="soft">sandbox {sandbox}</span>}
      </dd>
      <dt>Proxies</dt>
      <dd className="row">
        {proxies.total === 0 ? 'none: connections are direct' : countText(proxies.total)}
        {proxies.cooling_down > 0 && (
          <Badge tone="warn">{countText(proxies.cooling_down)} cooling down</Badge>
        )}
      </dd>
      <dt>Service</dt>
      <dd>
        {version}, {store}
      </dd>
    </>
  )
}

function PressureFacts({ pressure }: { pressure: Pressure }) {
  const { accepting, message, queue, memory, disk } = pressure
  const { delivery } = queue.lanes
  return (
    <>
      <dt>New work</dt>
      <dd>
        <Badge tone={accepting ? 'good' : 'bad'}>{accepting ? 'accepted' : 'refused'}</Badge>{' '}
        {message}
      </dd>
      <dt>Deliveries</dt>
      <dd className="number">
        {countText(delivery.waiting)} waiting:{' '}
        {oldestText(delivery.waiting, delivery.oldest_age_seconds * 1_000)}
      </dd>
      <dt>Memory</dt>
      <dd className="number">
        {bytesText(memory.resident_bytes)} of {bytesText(memory.resident_bytes_max)}
      </dd>
      <dt>Disk</dt>
      <dd className="number">
        {disk.free_share === null ? 'unknown' : `${shareText(disk.free_share, 1)} free`}
      </dd>
    </>
  )
}
