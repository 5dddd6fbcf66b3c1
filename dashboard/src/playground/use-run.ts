import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import type { PlaygroundRequest } from './playground-request.ts'
import { type RunOutcome, sendRequest } from './send-request.ts'

export interface Run {
  isRunning: boolean
  isCancelled: boolean
  outcome: RunOutcome | undefined
  error: Error | undefined
  /** What was sent last. */
  request: PlaygroundRequest | undefined
  start(request: PlaygroundRequest): void
  cancel(): void
}

/** One run at a time; Escape ends it, which the service takes as a wish to cancel the scrape. */
export function useRun(): Run {
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
    request: variables,
    start: mutate,
    cancel,
  }
}
