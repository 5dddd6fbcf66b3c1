/** How a proxy is, as a running service tells it. */
export interface ProxyState {
  coolsDownForMs: number
  /** 0 to 1. */
  score: number
  /** Null until it was used. */
  latencyMs: number | null
}

const answerMsMax = 3_000

/** By label; undefined where no service answers. It tells of a hundred at most. */
export async function readProxyStates(
  server: string,
): Promise<Map<string, ProxyState> | undefined> {
  try {
    const answer = await fetch(new URL('/metrics', server), {
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMsMax),
    })
    return answer.ok ? proxyStatesOf(await answer.text()) : undefined
  } catch {
    return undefined
  }
}

/** Out of the figures for Prometheus. */
export function proxyStatesOf(metrics: string): Map<string, ProxyState> {
  const states = new Map<string, ProxyState>()
  const figures = metrics.matchAll(
    /^trawl_proxy_(score|cooling_down_seconds|latency_seconds)\{proxy="([\w.:-]+)"\} (\S+)$/gm,
  )
  for (const [, name, label = '', text] of figures) {
    const state = states.get(label) ?? { coolsDownForMs: 0, score: 1, latencyMs: null }
    const figure = Number(text)
    if (name === 'score') state.score = Math.round(figure * 100) / 100
    else if (name === 'latency_seconds') state.latencyMs = Math.round(figure * 1_000)
    else state.coolsDownForMs = Math.round(figure * 1_000)
    states.set(label, state)
  }
  return states
}
