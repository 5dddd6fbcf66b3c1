/** The state of a proxy as a running service reports it. */
export interface ProxyState {
  coolsDownForMs: number
  /** 0 to 1. */
  score: number
  /** Null until it was used. */
  latencyMs: number | null
}

export interface ProxyReport {
  /** By label; a service reports a hundred at most. */
  states: Map<string, ProxyState>
  /** Whether the process uses proxies itself; undefined if it does not say. */
  isWorker: boolean | undefined
}

const responseMsMax = 3_000

/** Undefined if no service responds. */
export async function readProxyStates(server: string): Promise<ProxyReport | undefined> {
  const [metrics, capabilities] = await Promise.all(
    ['/metrics', '/capabilities'].map((path) => read(path, server)),
  )
  if (metrics === undefined) return undefined
  return { states: proxyStatesOf(metrics), isWorker: isWorkerBy(capabilities ?? '') }
}

async function read(path: string, server: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(responseMsMax)
    const response = await fetch(new URL(path, server), { redirect: 'manual', signal })
    return response.ok ? await response.text() : undefined
  } catch {
    return undefined
  }
}

/** Parses the response of `/capabilities`. */
export function isWorkerBy(capabilities: string): boolean | undefined {
  try {
    const { roles } = JSON.parse(capabilities)
    return Array.isArray(roles) ? roles.includes('worker') : undefined
  } catch {
    return undefined
  }
}

/** Parses the Prometheus metrics. */
export function proxyStatesOf(metrics: string): Map<string, ProxyState> {
  const states = new Map<string, ProxyState>()
  const samples = metrics.matchAll(
    /^trawl_proxy_(score|cooling_down_seconds|latency_seconds)\{proxy="([\w.:-]+)"\} (\S+)$/gm,
  )
  for (const [, name, label = '', text] of samples) {
    const state = states.get(label) ?? { coolsDownForMs: 0, score: 1, latencyMs: null }
    const value = Number(text)
    if (name === 'score') state.score = Math.round(value * 100) / 100
    else if (name === 'latency_seconds') state.latencyMs = Math.round(value * 1_000)
    else state.coolsDownForMs = Math.round(value * 1_000)
    states.set(label, state)
  }
  return states
}
