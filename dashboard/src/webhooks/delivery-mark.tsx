import type { MarkKind } from './lay-out-timeline.ts'

const paths: Record<MarkKind, string> = {
  event: 'M0 -9V9',
  delivered: 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z',
  failed: 'M-5 -5L5 5M5 -5L-5 5',
  next: 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z',
}

/** A dot, a cross or a ring: the shape alone says what it is. */
export function DeliveryMark({ kind }: { kind: MarkKind }) {
  return <path className="delivery-mark" data-kind={kind} d={paths[kind]} />
}
