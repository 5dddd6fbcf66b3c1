// One channel a tab: a second one of the same tab would hear what the first one says.
const channel = new BroadcastChannel('trawl-session')

/** Tells the other tabs of this browser, which share the session cookie, that it is another one now. */
export const tellOtherTabs = (): void => channel.postMessage(null)

/** Calls when another tab has told; returns what ends it. */
export function hearOtherTabs(onTold: () => void): () => void {
  channel.addEventListener('message', onTold)
  return () => channel.removeEventListener('message', onTold)
}
