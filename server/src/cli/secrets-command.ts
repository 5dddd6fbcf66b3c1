import { type Command, type Printable, say } from '../../../cli/src/index.ts'
import { type Config, ConfigProblems } from '../config.ts'
import {
  RotationRefused,
  requireUnderNewest,
  rotateSecretKey,
} from '../storage/secrets/key-rotation.ts'
import type { ResealCounts } from '../storage/secrets/reseal.ts'
import { addKeyToFile, dropPreviousKeyFromFile, keyFileIn } from '../storage/secrets/secret-key.ts'
import type { OpenStore } from '../wiring/open-store.ts'
import { onStore } from './on-store.ts'

export function addSecretsCommand(program: Command): void {
  const secrets = program.command('secrets').description('manage the key that encrypts secrets')

  onStore(
    secrets
      .command('rotate')
      .description('encrypt everything anew under TRAWL_SECRET_KEY, beside a running service'),
    (store, { config }) => rotate(store, config),
  )
}

async function rotate(store: OpenStore, { store: settings }: Config): Promise<Printable> {
  const { dataDir } = settings
  const isKeyInFile = settings.secretKey === undefined
  if (!store.keys.previous) {
    if (!isKeyInFile) throw new ConfigProblems([howToBegin])
    addKeyToFile(dataDir, store.keys)
    return {
      status: `a new key is in ${keyFileIn(dataDir)}, before the old one`,
      next: 'restart the service so that it has both keys, then run this command again',
    }
  }
  const { sealed, unreadable } = await rotateSecretKey(store, {
    onProgress: reportProgress(),
    onStragglers,
  })
  if (unreadable > 0) throw new RotationRefused(saysUnreadable(unreadable, { sealed, isKeyInFile }))
  if (isKeyInFile) {
    await requireUnderNewest(store)
    dropPreviousKeyFromFile(dataDir, store.keys)
  }
  return {
    status: 'nothing is encrypted with the previous key any more',
    encrypted: sealed,
    unreadable,
    next: isKeyInFile
      ? 'nothing: the old key is gone from the file; links to screenshots that it signed end with the next restart'
      : 'remove TRAWL_SECRET_KEY_PREVIOUS and restart every process; links to screenshots that it signed end then',
  }
}

const saysUnreadable = (
  unreadable: number,
  { sealed, isKeyInFile }: { sealed: number; isKeyInFile: boolean },
): string =>
  `${sealed} texts were encrypted anew, but ${unreadable} can be opened with neither key: they were changed, or encrypted with a third key. Keep every key you have until you know which. ${
    isKeyInFile
      ? 'The previous key stays in the second line of secret.key; remove that line yourself if these texts may be lost.'
      : 'Remove TRAWL_SECRET_KEY_PREVIOUS only if these texts may be lost.'
  }`

const howToBegin =
  'TRAWL_SECRET_KEY_PREVIOUS is not set, so there is nothing to rotate. Move the key in use there, put a new one into TRAWL_SECRET_KEY ("openssl rand -base64 32"), restart every process with both, and run this again.'

const onStragglers = (count: number): void =>
  console.error(
    `${count} texts were written with the previous key meanwhile: a process still runs without the new one. Restart it with both keys.`,
  )

const reportedEvery = 10_000

/** Prints a line to stderr when a table begins, and regularly during a large one. */
function reportProgress(): (table: string, counts: ResealCounts) => void {
  let current = ''
  let reportedAt = 0
  return (table, { sealed }) => {
    if (table === current && sealed - reportedAt < reportedEvery) return
    current = table
    reportedAt = sealed
    say(`Encrypting ${table}: ${sealed} texts so far`)
  }
}
