import { fillListings } from './fill-listings.ts'
import type { UpgradeParts } from './row-upgrade.ts'
import { sealPlainRows } from './seal-plain-rows.ts'

/**
 * What a migration cannot do because it takes long or needs the key: it runs in the background beside the
 * service; after a shutdown the next start continues.
 */
export function startUpgradingRows(parts: UpgradeParts): AsyncDisposable {
  const stopping = new AbortController()
  const upgrading = upgradeAll(parts, stopping.signal).catch((error) =>
    parts.log.warn(
      { err: error },
      'Failed to upgrade all rows of an earlier version; the next start continues.',
    ),
  )
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await upgrading
    },
  }
}

async function upgradeAll(parts: UpgradeParts, signal: AbortSignal): Promise<void> {
  for (const upgrade of [sealPlainRows, fillListings]) {
    if (!signal.aborted) await upgrade(parts, signal)
  }
}
