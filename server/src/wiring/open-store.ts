import type { Config } from '../config.ts'
import { createKeyedDigest } from '../runtime/crypto/keyed-digest.ts'
import { createLinkSigner } from '../runtime/crypto/link-signer.ts'
import { createSealer, type MasterKeys } from '../runtime/crypto/seal.ts'
import type { Log } from '../runtime/log.ts'
import { prepareDataFolder } from '../storage/data-folder.ts'
import { openDatabase } from '../storage/open-database.ts'
import { requireRightSecretKey } from '../storage/secrets/key-rotation.ts'
import { readOrMakeSecretKey } from '../storage/secrets/secret-key.ts'

export type OpenStore = Awaited<ReturnType<typeof openStore>>

/** Opens the store and its secret key, for the service or for a CLI command. */
export async function openStore(
  { store: { dataDir, databaseUrl, secretKey, secretKeyPrevious } }: Config,
  log: Log,
) {
  await using parts = new AsyncDisposableStack()
  if (databaseUrl === undefined) prepareDataFolder(dataDir)
  const db = parts.use(await openDatabase({ url: databaseUrl, dataDir, log }))
  const keys: MasterKeys = secretKey
    ? { newest: secretKey, previous: secretKeyPrevious }
    : await readOrMakeSecretKey(db, dataDir)
  const sealer = createSealer(keys)
  await requireRightSecretKey({ db, keys, sealer })
  parts.move()
  const [linkSigner, digest] = [createLinkSigner(keys), createKeyedDigest(keys)]
  return { db, keys, sealer, linkSigner, digest }
}
