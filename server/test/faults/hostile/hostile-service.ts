import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeScratchFolder } from '../../support/scratch-folder.ts'
import { startTestDns } from '../../support/test-dns.ts'
import { type FaultService, startFaultService } from '../fault-service.ts'
import type { Stage } from './hostile-case.ts'
import { endingWith } from './start-peers.ts'
import { trustedPem } from './trust-origins.ts'

/** A service in a process of its own, and the stage for those who mean it no good. */
export async function startHostileService(
  resources: AsyncDisposableStack,
  databaseUrl?: string,
): Promise<{ service: FaultService; stage: Stage }> {
  const ending = endingWith(resources)
  const dns = await startTestDns(ending)
  const { path } = resources.use(await makeScratchFolder())
  const authorities = join(path, 'authorities.pem')
  writeFileSync(authorities, trustedPem)
  const service = await startFaultService(resources, {
    databaseUrl,
    environment: {
      TRAWL_DNS_SERVERS: dns.address,
      NODE_EXTRA_CA_CERTS: authorities,
      // One attempt, and a second one that no run is there to see.
      TRAWL_DELIVERY_SCHEDULE: '0s,1h',
    },
  })
  return { service, stage: { ...ending, dns } }
}
