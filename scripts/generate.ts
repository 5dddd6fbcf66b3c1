import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { allSettings } from '../server/src/config.ts'
import { describeApi } from '../server/src/http/openapi/describe-api.ts'
import { routes } from '../server/src/http/routes.ts'
import { dumpSchema } from '../server/src/storage/schema/dump-schema.ts'
import { httpFile } from './generate/http-file.ts'
import {
  commandsPage,
  environmentExample,
  errorsPage,
  metadataAddressesPage,
  settingsPage,
} from './reference-pages.ts'
import { writeSdkTypes } from './sdk-types.ts'

const api = describeApi(routes)

/** Files generated from the sources. They are checked in, so that reviews show their changes. */
const generated: Record<string, () => string | Promise<string>> = {
  'openapi.json': () => `${JSON.stringify(api, null, 2)}\n`,
  '.env.example': () => environmentExample(allSettings()),
  'docs/reference/settings.md': () => settingsPage(allSettings()),
  'docs/reference/errors.md': errorsPage,
  'docs/reference/metadata-addresses.md': metadataAddressesPage,
  'docs/reference/commands.md': commandsPage,
  'server/schema.sql': dumpSchema,
  'sdk/src/api.ts': () => writeSdkTypes(api),
  'docs/collections/trawl.http': () => httpFile(api),
}

const isCheck = process.argv.includes('--check')
for (const [path, write] of Object.entries(generated)) {
  const fresh = await write()
  if (!isCheck) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, fresh)
  } else if (readIfPresent(path) !== fresh) {
    console.error(`${path} is stale. Run: npm run generate`)
    process.exitCode = 1
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
