import { countText } from '../parts/number-text.ts'
import { Panel } from '../parts/panel.tsx'

const shownMax = 50

/** What stood in the request of a batch and was not fetched. */
export function InvalidUrls({ urls }: { urls: readonly string[] }) {
  if (urls.length === 0) return null
  return (
    <Panel title={`Not fetched, as they are no valid URLs: ${countText(urls.length)}`}>
      <ul className="url-list">
        {urls.slice(0, shownMax).map((url, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same text may occur twice
          <li key={index}>{url}</li>
        ))}
      </ul>
      {urls.length > shownMax && <p className="soft small">The first {shownMax} of them.</p>}
    </Panel>
  )
}
