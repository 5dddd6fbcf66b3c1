import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import type { GuardedConnect } from '../guarded-connect.ts'
import { OutboundError } from '../outbound-error.ts'

/** Whether a proxy opens a tunnel and how long that took, or a message for the operator. */
export type ProxyProbe = { ok: true; latencyMs: number } | { ok: false; failure: string }

/** Opens a tunnel to a target that the guard allows, and sends nothing through it. */
export async function probeProxy(
  connect: GuardedConnect,
  proxy: ProxyRoute,
  { host, port, deadlineMs }: { host: string; port: number; deadlineMs: number },
): Promise<ProxyProbe> {
  const limits = { dnsMs: deadlineMs, connectMs: deadlineMs, tlsMs: deadlineMs }
  const signal = AbortSignal.timeout(deadlineMs)
  const request = { hostname: host, port, isTls: false, purpose: 'target' } as const
  const startedAtMs = performance.now()
  try {
    const { socket } = await connect({ ...request, limits, signal, proxy })
    socket.destroy()
    return { ok: true, latencyMs: performance.now() - startedAtMs }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const isLate = error.problem === 'aborted'
    return {
      ok: false,
      failure: isLate ? `No response within ${deadlineMs} ms.` : reasonOf(error),
    }
  }
}

/** The innermost error is the most specific. None of them contains the credentials. */
function reasonOf(error: Error): string {
  let reason = error
  while (reason.cause instanceof Error) reason = reason.cause
  return reason.message
}
