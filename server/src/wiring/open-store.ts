import type { Config } from '../config.ts'
import { createKeyedDigest, type KeyedDigest } from '../runtime/crypto/keyed-digest.ts'
import { createLinkSigner, type LinkSigner } from '../runtime/crypto/link-signer.ts'
import { createSealer } from '../runtime/crypto/seal.ts'
import type { Log } from '../runtime/log.ts'
import { prepareDataFolder } from '../storage/data-folder.ts'
import { openDatabase } from '../storage/open-database.ts'
import type { WatchedDatabase } from '../storage/outages/watched-database.ts'
import { type KeyedStore, requireRightSecretKey } from '../storage/secrets/key-rotation.ts'
import { readOrMakeSecretKey } from '../storage/secrets/secret-key.ts'

export interface OpenStore extends KeyedStore {
  db: WatchedDatabase
  linkSigner: LinkSigner
  digest: KeyedDigest
}

/** Opens the store and its secret key, for the service or for a CLI command. */
export async function openStore(
  { store: { dataDir, databaseUrl, secretKey, secretKeyPrevious } }: Config,
  log: Log,
): Promise<OpenStore> {
  await using parts = new AsyncDisposableStack()
  if (databaseUrl === undefined) prepareDataFolder(dataDir)
  const db = parts.use(await openDatabase({ url: databaseUrl, dataDir, log }))
  const keys = secretKey
    ? { newest: secretKey, previous: secretKeyPrevious }
    : await readOrMakeSecretKey(db, dataDir)
  const sealer = createSealer(keys)
  await requireRightSecretKey({ db, keys, sealer })
  parts.move()
  const [linkSigner, digest] = [createLinkSigner(keys), createKeyedDigest(keys)]
  return { db, keys, sealer, linkSigner, digest }
}
