import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { installPackages } from './install-packages.ts'

/** The parser of Bruno itself, which is not a dependency of this repository. */
const packages = ['@usebruno/lang@0.39.0']

interface BrunoParser {
  bruToJsonV2(text: string): { http?: { method: string; url: string }; body?: { json?: string } }
  bruToEnvJsonV2(text: string): { variables: { name: string; value: string; secret: boolean }[] }
  collectionBruToJson(text: string): { auth?: { mode: string } }
}

/** Reads every file of the generated collection with Bruno's parser; returns what is wrong. */
export async function checkBrunoCollection(
  { collectionDir, cacheDir }: { collectionDir: string; cacheDir: string },
  signal: AbortSignal,
): Promise<string[]> {
  const folder = await installPackages({ name: 'bruno', packages, cacheDir }, signal)
  const require = createRequire(import.meta.url)
  const parser: BrunoParser = require(join(folder, '@usebruno', 'lang'))
  const faults: string[] = []
  for (const name of globSync('**/*.bru', { cwd: collectionDir })) {
    try {
      const fault = faultOf(parser, name, readFileSync(join(collectionDir, name), 'utf8'))
      if (fault) faults.push(`${name}: ${fault}`)
    } catch (error) {
      faults.push(`${name}: ${error}`)
    }
  }
  return faults
}

function faultOf(parser: BrunoParser, name: string, text: string): string | undefined {
  if (name.endsWith('folder.bru') || name === 'collection.bru') {
    parser.collectionBruToJson(text)
    return undefined
  }
  if (name.startsWith('environments/')) {
    const secrets = parser.bruToEnvJsonV2(text).variables.filter(({ secret }) => secret)
    return secrets.length === 3 ? undefined : 'apiKey, username and password are not secrets'
  }
  const { http, body } = parser.bruToJsonV2(text)
  if (!http?.url.startsWith('{{baseUrl}}/')) return 'it has no URL'
  if (body?.json !== undefined) JSON.parse(body.json)
  return undefined
}
