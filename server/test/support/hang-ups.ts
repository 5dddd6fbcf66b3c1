import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'

/** Counts the callers of this process's servers who hung up before they had their response. */
export function watchHangUps(t: TestContext): { readonly count: number } {
  let count = 0
  const note = (message: unknown) => {
    const { response } = message as { response: ServerResponse }
    response.once('close', () => {
      if (!response.writableFinished) count += 1
    })
  }
  subscribe('http.server.request.start', note)
  t.after(() => unsubscribe('http.server.request.start', note))
  return {
    get count() {
      return count
    },
  }
}
