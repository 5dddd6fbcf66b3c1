import type { Command } from 'commander'
import { findService } from './find-service.ts'
import { watchSignals } from './interruption.ts'
import { startMcpRelay } from './mcp-relay.ts'
import { say } from './messages.ts'
import { createServiceClient } from './service-client.ts'
import { type ServiceFlags, withServiceOptions } from './service-options.ts'

export function addMcpCommand(program: Command): void {
  withServiceOptions(program.command('mcp'))
    .description('serve the tools of MCP on stdin and stdout, for programs that start it')
    .addHelpText(
      'after',
      `
Messages go to /mcp of the service; only messages are written to stdout. It ends with its stdin.
Programs that speak HTTP can use /mcp itself, with the header X-Api-Key.`,
    )
    .action(serveMcp)
}

async function serveMcp(flags: ServiceFlags): Promise<void> {
  const service = findService(flags)
  using signals = watchSignals()
  await using relay = await startMcpRelay(createServiceClient(service))
  say(`Relaying MCP messages to ${new URL('/mcp', service.server)}.`)
  const signalled = new Promise<'signalled'>((resolve) =>
    signals.signal.addEventListener('abort', () => resolve('signalled'), { once: true }),
  )
  if ((await Promise.race([relay.ended, signalled])) === 'signalled') throw signals.signal.reason
}
