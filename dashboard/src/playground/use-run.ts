import { useMutation } from '@tanstack/react-query'
import type { ExtractRequest, SiteMap } from '@trawl/sdk'
import { useCallback, useEffect, useRef } from 'react'
import { trawl } from '../client.ts'
import type { PlaygroundOperation, PlaygroundRequest } from './playground-request.ts'

export type Run = ReturnType<typeof useRun>

/** One run at a time; Escape ends it, which the service takes as a wish to cancel the scrape. */
export function useRun() {
  const stop = useRef<AbortController>(undefined)
  const { mutate, isPending, data, error, variables } = useMutation({
    mutationFn: ({ operation, body }: PlaygroundRequest) => {
      stop.current = new AbortController()
      return sends[operation](body as never, stop.current.signal)
    },
  })
  const cancel = useCallback(() => stop.current?.abort(), [])

  useEffect(() => {
    if (!isPending) return
    const onKey = ({ key }: KeyboardEvent) => {
      // In a dialog it closes that.
      if (key === 'Escape' && !document.querySelector('[role="dialog"]')) cancel()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [isPending, cancel])

  const isCancelled = error?.name === 'AbortError'
  return {
    isRunning: isPending,
    isCancelled,
    outcome: data,
    error: isCancelled ? undefined : (error ?? undefined),
    /** What was sent last. */
    request: variables,
    start: mutate,
    cancel,
  }
}

export type RunOutcome =
  | { kind: 'task'; id: string }
  | { kind: 'batch' | 'crawl'; id: string; invalidUrls: readonly string[] }
  | { kind: 'map'; map: SiteMap }

// The service checks the bodies, so the form may send whatever was entered as any of them.
type Send = (body: never, signal: AbortSignal) => Promise<RunOutcome>

const sends: Record<PlaygroundOperation, Send> = {
  async extract(body: ExtractRequest, signal) {
    const { job_id } =
      body.processing_mode === 'async'
        ? await trawl.startScrape(body, { signal })
        : await trawl.scrape(body, { signal })
    return { kind: 'task', id: job_id }
  },
  async callback(body, signal) {
    const { requestId } = await trawl.scraper.submit(body, { signal })
    return { kind: 'task', id: requestId }
  },
  async realtime(body, signal) {
    const { headers } = await trawl.scraper.realtime(body, { signal })
    return { kind: 'task', id: headers.get('x-request-id') ?? '' }
  },
  async batch(body, signal) {
    const { job_id, invalid_urls } = await trawl.startBatch(body, { signal })
    return { kind: 'batch', id: job_id, invalidUrls: invalid_urls }
  },
  async crawl(body, signal) {
    const { job_id } = await trawl.startCrawl(body, { signal })
    return { kind: 'crawl', id: job_id, invalidUrls: [] }
  },
  map: async (body, signal) => ({ kind: 'map', map: await trawl.map(body, { signal }) }),
}
