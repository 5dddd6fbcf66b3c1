/** How a proxy is, as a running service tells it. */
export interface ProxyState {
  coolsDownForMs: number
  /** 0 to 1. */
  score: number
  /** Null until it was used. */
  latencyMs: number | null
}

/** What one process of a service tells of its proxies. */
export interface ToldStates {
  /** By label; it tells of a hundred at most. */
  states: Map<string, ProxyState>
  /** Whether it uses them itself; undefined where it does not say. */
  isWorker: boolean | undefined
}

const answerMsMax = 3_000

/** Undefined where no service answers. */
export async function readProxyStates(server: string): Promise<ToldStates | undefined> {
  const [metrics, capabilities] = await Promise.all(
    ['/metrics', '/capabilities'].map((path) => read(path, server)),
  )
  if (metrics === undefined) return undefined
  return { states: proxyStatesOf(metrics), isWorker: isWorkerBy(capabilities ?? '') }
}

async function read(path: string, server: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(answerMsMax)
    const answer = await fetch(new URL(path, server), { redirect: 'manual', signal })
    return answer.ok ? await answer.text() : undefined
  } catch {
    return undefined
  }
}

/** By what it says it can do. */
export function isWorkerBy(capabilities: string): boolean | undefined {
  try {
    const { roles } = JSON.parse(capabilities)
    return Array.isArray(roles) ? roles.includes('worker') : undefined
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
