import type { TaskSummary } from '@trawl/sdk'
import { useEffect, useRef, useState } from 'react'
import { RowChanges } from './row-changes.ts'

const glowMs = 2_000

/** The ids of rows that have changed a moment ago. */
export function useChangedRows(tasks: readonly TaskSummary[]): ReadonlySet<string> {
  const changes = useRef(new RowChanges())
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>())
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const ids = changes.current.see(tasks)
    if (ids.length === 0) return
    setChanged((before) => before.union(new Set(ids)))
    const timer = setTimeout(() => {
      timers.current.delete(timer)
      setChanged((before) => before.difference(new Set(ids)))
    }, glowMs)
    timers.current.add(timer)
  }, [tasks])
  useEffect(() => {
    const started = timers.current
    return () => {
      for (const timer of started) clearTimeout(timer)
    }
  }, [])
  return changed
}
