import { useMutation } from '@tanstack/react-query'
import type {
  BatchRequest,
  CallbackScrape,
  CrawlRequest,
  ExtractRequest,
  MapRequest,
  RealtimeScrape,
  SiteMap,
} from '@trawl/sdk'
import { useCallback, useEffect, useRef } from 'react'
import { trawl } from '../client.ts'
import type { PlaygroundOperation, PlaygroundRequest } from './playground-request.ts'

export type Run = ReturnType<typeof useRun>

/** One run at a time; Escape ends it, which the service takes as a wish to cancel the scrape. */
export function useRun() {
  const stop = useRef<AbortController>(undefined)
  const { mutate, isPending, data, error, variables } = useMutation({
    mutationFn: (request: PlaygroundRequest) => {
      const stopping = new AbortController()
      stop.current = stopping
      return sendRequest(request, stopping.signal)
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

/** What a run has led to. */
export type RunOutcome =
  | { kind: 'task'; id: string }
  | { kind: 'batch' | 'crawl'; id: string; invalidUrls: readonly string[] }
  | { kind: 'map'; map: SiteMap }

type Send = (body: PlaygroundRequest['body'], signal: AbortSignal) => Promise<RunOutcome>

/** The service checks the bodies, so the form may send whatever was entered. */
const sends: Record<PlaygroundOperation, Send> = {
  async extract(body, signal) {
    const request = body as ExtractRequest
    const { job_id } =
      request.processing_mode === 'async'
        ? await trawl.startScrape(request, { signal })
        : await trawl.scrape(request, { signal })
    return { kind: 'task', id: job_id }
  },
  async callback(body, signal) {
    const { requestId } = await trawl.scraper.submit(body as CallbackScrape, { signal })
    return { kind: 'task', id: requestId }
  },
  async realtime(body, signal) {
    const { headers } = await trawl.scraper.realtime(body as RealtimeScrape, { signal })
    return { kind: 'task', id: headers.get('x-request-id') ?? '' }
  },
  async batch(body, signal) {
    const started = await trawl.startBatch(body as BatchRequest, { signal })
    return { kind: 'batch', id: started.job_id, invalidUrls: started.invalid_urls }
  },
  async crawl(body, signal) {
    const { job_id } = await trawl.startCrawl(body as CrawlRequest, { signal })
    return { kind: 'crawl', id: job_id, invalidUrls: [] }
  },
  map: async (body, signal) => ({
    kind: 'map',
    map: await trawl.map(body as MapRequest, { signal }),
  }),
}

/** Sends a request just as it is written. */
const sendRequest = (
  { operation, body }: PlaygroundRequest,
  signal: AbortSignal,
): Promise<RunOutcome> => sends[operation](body, signal)
