import { type Command, InvalidArgumentError } from 'commander'

/** Which service a command calls, as whom. */
export interface ServiceFlags {
  server?: string
  dataDir?: string
  apiKey?: string
}

export const withServiceOptions = (command: Command): Command =>
  withServerOption(withDataDirOption(command)).option(
    '--api-key <key>',
    "the key; by default TRAWL_API_KEY, the profile's or the local service's",
  )

export const withDataDirOption = (command: Command): Command =>
  command.option('--data-dir <folder>', 'the data folder of the service on this machine')

export const withServerOption = (command: Command): Command =>
  command.option(
    '--server <url>',
    'URL of the service; by default TRAWL_URL, the profile, or the one on this machine',
    readServer,
  )

function readServer(text: string): string {
  if (isServerUrl(text)) return text
  throw new InvalidArgumentError('It must be a URL such as http://127.0.0.1:8080.')
}

/** The URL of the service with these settings; a wildcard address is replaced by the loopback address. */
export function localServer({ host, port }: { host: string; port: number }): string {
  const address = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? host
  const name = address.includes(':') && !address.startsWith('[') ? `[${address}]` : address
  return `http://${name}:${port === 0 ? 8080 : port}`
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)

export const isServerUrl = (text: string): boolean =>
  /^https?:\/\//i.test(text) && URL.canParse(text)
