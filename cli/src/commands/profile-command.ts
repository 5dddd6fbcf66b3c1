import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { readLocalSettings } from '../client/local-settings.ts'
import { profilePath, readProfile, removeProfile, writeProfile } from '../client/profile.ts'
import { connectTo } from '../client/service-client.ts'
import { isLoopback, isServerUrl, withServerOption } from '../client/service-options.ts'
import { CommandFailure } from '../command-failure.ts'
import { Interrupted } from '../interruption.ts'
import { mayAsk, say } from '../output/messages.ts'
import { type PrintFlags, printResult, withOutputOptions } from '../output/print.ts'

interface SaveFlags extends PrintFlags {
  server?: string
  apiKey?: string
}

const checkMsMax = 30_000

export function addProfileCommand(program: Command): void {
  const profile = program
    .command('profile')
    .description('keep the address and key of a service elsewhere, for this user')
  withOutputOptions(withServerOption(profile.command('save')))
    .description('try a key and keep it; read from TRAWL_API_KEY, stdin or the keyboard')
    .option('--api-key <key>', 'the key; others on this machine can see it while this runs')
    .action(save)
  withOutputOptions(profile.command('show'))
    .description('show which service commands call; the key is masked')
    .action(show)
  withOutputOptions(profile.command('remove'))
    .description('forget the service and its key')
    .action(remove)
}

async function save(flags: SaveFlags): Promise<void> {
  const { url, keyVariable, apiKey: known } = readLocalSettings()
  const server = flags.server ?? url
  if (server === undefined || !isServerUrl(server)) {
    throw new CommandFailure('badUsage', 'Give --server URL or TRAWL_URL.')
  }
  const { origin, protocol, hostname } = new URL(server)
  const given = flags.apiKey ?? (keyVariable && known)
  const apiKey = (given ?? (await readKey(origin))).trim()
  // A key is a header: other characters would be refused by every server.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new CommandFailure('badUsage', 'The key is empty or has characters that no key has.')
  }
  if (protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))) {
    say(`warning: the key goes to ${origin} without encryption; use https.`)
  }
  const keyOrigin = flags.apiKey ? '--api-key' : given && keyVariable
  const trawl = connectTo({ server: origin, apiKey, keyOrigin })
  await trawl.getConcurrency({ timeout: checkMsMax, maxRetries: 0 })
  const folder = settingsFolder()
  writeProfile(folder, { server: origin, apiKey })
  await printResult({ server: origin, file: profilePath(folder) }, flags)
}

async function readKey(origin: string): Promise<string> {
  if (mayAsk()) return await askSecret(`API key for ${origin}: `)
  if (process.stdin.isTTY) throw new CommandFailure('badUsage', 'Give the key in TRAWL_API_KEY.')
  return await text(process.stdin)
}

/** Asks for a secret on the terminal, without showing what is typed. */
async function askSecret(question: string): Promise<string> {
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  // As a terminal, so that the characters are not echoed by the system either.
  const asking = createInterface({ input: process.stdin, output: silence, terminal: true })
  process.stderr.write(question)
  try {
    return await new Promise<string>((resolve, reject) => {
      asking.on('SIGINT', () => reject(new Interrupted('interrupted')))
      asking.on('close', () => resolve(''))
      asking.on('line', resolve)
    })
  } finally {
    asking.close()
    process.stderr.write('\n')
  }
}

async function show(flags: PrintFlags): Promise<void> {
  const folder = settingsFolder()
  const profile = readProfile(folder)
  if (!profile) {
    throw new CommandFailure(
      'notFound',
      'There is no profile. Run: npx trawl profile save --server URL',
    )
  }
  const { server, apiKey } = profile
  await printResult({ server, api_key: masked(apiKey), file: profilePath(folder) }, flags)
}

const shownCharacters = 9

/** Enough of a key to tell two apart, as `trawl keys list` shows; a short one is not shown at all. */
const masked = (key: string): string =>
  key.length < shownCharacters * 3 ? '***' : `${key.slice(0, shownCharacters)}…`

async function remove(flags: PrintFlags): Promise<void> {
  const folder = settingsFolder()
  const removed = existsSync(profilePath(folder))
  removeProfile(folder)
  await printResult({ removed }, flags)
}

function settingsFolder(): string {
  const folder = readLocalSettings().settingsFolder
  if (folder !== undefined) return folder
  throw new CommandFailure('badUsage', 'Set HOME or XDG_CONFIG_HOME, where profiles are kept.')
}
