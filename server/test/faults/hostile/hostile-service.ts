import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeScratchFolder } from '../../support/scratch-folder.ts'
import { startTestDns } from '../../support/test-dns.ts'
import { type FaultService, startFaultService } from '../fault-service.ts'
import type { Stage } from './hostile-case.ts'
import { cleanupScopeOf } from './start-peers.ts'
import { trustedPem } from './trust-origins.ts'

/** A service in its own process, and the stage for its hostile peers. */
export async function startHostileService(
  resources: AsyncDisposableStack,
  databaseUrl?: string,
): Promise<{ service: FaultService; stage: Stage }> {
  const ending = cleanupScopeOf(resources)
  const dns = await startTestDns(ending)
  const { path } = resources.use(await makeScratchFolder())
  const authorities = join(path, 'authorities.pem')
  writeFileSync(authorities, trustedPem)
  const service = await startFaultService(resources, {
    databaseUrl,
    environment: {
      TRAWL_DNS_SERVERS: dns.address,
      NODE_EXTRA_CA_CERTS: authorities,
      // The second attempt is due only after every run.
      TRAWL_DELIVERY_SCHEDULE: '0s,1h',
    },
  })
  return { service, stage: { ...ending, dns } }
}
