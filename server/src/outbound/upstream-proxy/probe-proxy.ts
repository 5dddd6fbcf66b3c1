import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import type { GuardedConnect } from '../guarded-connect.ts'
import { OutboundError } from '../outbound-error.ts'

/** Whether a proxy opens a tunnel, and how long that took; else why not, in words for its operator. */
export type ProxyProbe = { ok: true; latencyMs: number } | { ok: false; failure: string }

/** Asks a proxy for a tunnel to a target that the guard allows, and says nothing in it. */
export async function probeProxy(
  connect: GuardedConnect,
  proxy: ProxyRoute,
  { host, port, deadlineMs }: { host: string; port: number; deadlineMs: number },
): Promise<ProxyProbe> {
  const limits = { dnsMs: deadlineMs, connectMs: deadlineMs, tlsMs: deadlineMs }
  const signal = AbortSignal.timeout(deadlineMs)
  const asked = { hostname: host, port, isTls: false, purpose: 'target' } as const
  const beganMs = performance.now()
  try {
    const { socket } = await connect({ ...asked, limits, signal, proxy })
    socket.destroy()
    return { ok: true, latencyMs: performance.now() - beganMs }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const isLate = error.problem === 'aborted'
    return { ok: false, failure: isLate ? `No answer in ${deadlineMs} ms.` : reasonOf(error) }
  }
}

/** The innermost error says most. None of them knows the credentials. */
function reasonOf(error: Error): string {
  let reason = error
  while (reason.cause instanceof Error) reason = reason.cause
  return reason.message
}
