import { type Command, InvalidArgumentError } from 'commander'
import type { Config } from '../config.ts'

export const withServerOption = (command: Command): Command =>
  command.option('--server <url>', 'where the service is; on this machine by default', readServer)

/** Where the service of these settings listens; an address for everyone is reached at the loopback one. */
export function localServer({ http: { host, port } }: Config): string {
  const reached = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? host
  const name = reached.includes(':') && !reached.startsWith('[') ? `[${reached}]` : reached
  return `http://${name}:${port === 0 ? 8080 : port}`
}

function readServer(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  throw new InvalidArgumentError('An address such as http://127.0.0.1:8080 is needed.')
}
