import type { TestContext } from 'node:test'
import { type Canaries, startCanaries } from './canaries.ts'
import { startTestDns, type TestDns } from './test-dns.ts'

/** Targets that only a proxy knows: whoever looks for them himself finds canaries in their places. */
export interface ProxyOnlyTargets {
  readonly canaries: Canaries
  readonly dns: TestDns
  /** For the proxy: the address of each `host:port`. */
  readonly places: Record<string, string>
  /** `host:port` as a URL has it. */
  authorityOf(host: string): string
}

/** By their names, each with the port of this machine where it is served. */
export async function startProxyOnlyTargets(
  t: Pick<TestContext, 'after'>,
  targets: Record<string, number>,
): Promise<ProxyOnlyTargets> {
  const hosts = Object.keys(targets)
  const canaries = await startCanaries(t, hosts)
  const authorities = new Map(canaries.all.map(({ name, port }) => [name, `${name}:${port}`]))
  const authorityOf = (host: string) => authorities.get(host) ?? host
  return {
    canaries,
    dns: await startTestDns(
      t,
      Object.fromEntries(hosts.map((host) => [host, { addresses: ['127.0.0.3'] }])),
    ),
    places: Object.fromEntries(
      hosts.map((host) => [authorityOf(host), `127.0.0.1:${targets[host]}`]),
    ),
    authorityOf,
  }
}
