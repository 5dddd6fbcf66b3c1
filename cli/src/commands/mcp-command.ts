import { once } from 'node:events'
import type { Command } from 'commander'
import { findService } from '../client/find-service.ts'
import { connectTo } from '../client/service-client.ts'
import { type ServiceFlags, withServiceOptions } from '../client/service-options.ts'
import { watchSignals } from '../interruption.ts'
import { say } from '../output/messages.ts'
import { relayMcp } from './mcp-relay.ts'

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
  say(`Relaying MCP messages to ${new URL('/mcp', service.server)}.`)
  const signalled = once(signals.signal, 'abort').then(() => {
    throw signals.signal.reason
  })
  try {
    await Promise.race([relayMcp(connectTo(service)), signalled])
  } finally {
    // It would keep the process running.
    process.stdin.destroy()
  }
}
