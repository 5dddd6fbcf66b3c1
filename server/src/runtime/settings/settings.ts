import { z } from 'zod'
import { nearest } from '../nearest.ts'

/** The description of a setting. */
export interface SettingFacts {
  env: string
  about: string
  /** Variables of other programs with the same meaning, used if ours is not set. */
  aliases?: string[]
  /** Shown in the docs for a default that is computed at start. */
  defaultText?: string
  isSecret?: true
  /** An empty value differs from an unset one. */
  isEmptyMeant?: true
  /** The text is JSON, so a list in the settings file is not joined with commas. */
  isJson?: true
}

/** A setting with its path in the settings object, which is also its path in the settings file. */
export interface Setting extends SettingFacts {
  path: readonly string[]
  default: string | undefined
}

const factsOf = z.registry<SettingFacts & { default?: string }>()

/** Defines a setting of a type; without a default it may stay unset. */
export function setting<Kind extends z.ZodType>(
  kind: Kind,
  facts: SettingFacts & { default: string },
): z.ZodPrefault<Kind>
export function setting<Kind extends z.ZodType>(
  kind: Kind,
  facts: SettingFacts,
): z.ZodOptional<Kind>
export function setting(kind: z.ZodType, facts: SettingFacts & { default?: string }): z.ZodType {
  const schema = facts.default === undefined ? kind.optional() : kind.prefault(facts.default)
  return schema.register(factsOf, facts)
}

/** Every setting of a nested settings schema, in the order of its definition. */
export function listSettings(schema: z.ZodType, path: readonly string[] = []): Setting[] {
  const facts = factsOf.get(schema)
  if (facts) return [{ ...facts, default: facts.default, path }]
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape).flatMap(([key, child]) =>
    listSettings(child as z.ZodType, [...path, key]),
  )
}

/** The JSON Schema of the settings file, for completion and checks in editors. */
export function settingsFileSchema(schema: z.ZodType): unknown {
  const facts = factsOf.get(schema)
  if (facts) {
    const { about, default: byDefault } = facts
    return { description: about, ...(byDefault !== undefined && { default: byDefault }) }
  }
  const shape = schema instanceof z.ZodObject ? schema.shape : {}
  const properties = Object.entries(shape).map(([key, child]) => [
    key,
    settingsFileSchema(child as z.ZodType),
  ])
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(properties) }
}

/** The sources of settings, highest priority first. An empty variable counts as unset. */
export interface SettingSources {
  flags: Record<string, string | undefined>
  environment: Record<string, string | undefined>
  dotEnv: Record<string, string | undefined>
  file: unknown
  readSecretFile: (path: string) => string
}

export interface SettingOrigin extends Setting {
  text: string | undefined
  origin: string
  /** The secret file that the text was read from (`…_FILE`). */
  file?: string
}

/** A setting as people may see it. */
export interface ShownSetting {
  name: string
  /** In brackets where it is not set; asterisks instead of a secret. */
  value: string
  origin: string
}

export const showSetting = (setting: SettingOrigin): ShownSetting => ({
  name: setting.env,
  value: shownValue(setting),
  origin: setting.origin,
})

function shownValue({ text, isSecret, defaultText }: SettingOrigin): string {
  if (text === undefined) return defaultText ? `(${defaultText})` : '(not set)'
  return isSecret && text !== '[]' ? '********' : text
}

export interface SettingsRead<Values> {
  values: Values | undefined
  origins: SettingOrigin[]
  problems: string[]
  warnings: string[]
}

/** Merges all sources and parses every value. It reports all problems at once, and values if there are none. */
export function readSettings<Schema extends z.ZodObject>(
  schema: Schema,
  sources: SettingSources,
): SettingsRead<z.output<Schema>> {
  const settings = listSettings(schema)
  const problems: string[] = []
  const origins = settings.map((one) => ({ ...one, ...findText(one, sources, problems) }))
  const read = schema.safeParse(nest(origins))
  for (const issue of read.error?.issues ?? []) {
    const source = origins.find((one) => one.path.join('.') === issue.path.join('.'))
    problems.push(`${source?.env} ${issue.message} (${source?.origin}).`)
  }
  problems.push(...unknownFileKeys(settings, sources.file))
  const values = problems.length === 0 ? read.data : undefined
  return { values, origins, problems, warnings: unknownVariables(settings, sources) }
}

/** `TRAWL_DATA_DIR` as a flag: `--data-dir`. */
export const flagOf = (env: string): string =>
  env
    .replace(/^[A-Z]+_/, '')
    .toLowerCase()
    .replaceAll('_', '-')

function findText(
  one: Setting,
  sources: SettingSources,
  problems: string[],
): Pick<SettingOrigin, 'text' | 'origin' | 'file'> {
  const flag = sources.flags[flagOf(one.env)]
  if (flag !== undefined) return { text: flag, origin: `flag --${flagOf(one.env)}` }
  const layers = { environment: sources.environment, '.env': sources.dotEnv }
  for (const [name, layer] of Object.entries(layers)) {
    for (const variable of [one.env, ...(one.aliases ?? [])]) {
      const text = layer[variable]
      if (text || (text === '' && one.isEmptyMeant)) return { text, origin: `${name} ${variable}` }
    }
    const file = one.isSecret && layer[`${one.env}_FILE`]
    if (file) {
      const text = secretText(file, one, sources, problems)
      return { text, origin: `file ${file}`, file }
    }
  }
  const inFile = one.path.reduce<unknown>(childOf, sources.file)
  if (inFile !== undefined) return { text: asText(inFile, one), origin: 'trawl.config.json' }
  return { text: one.default, origin: 'default' }
}

function secretText(file: string, one: Setting, sources: SettingSources, problems: string[]) {
  try {
    return sources.readSecretFile(file).replace(/\r?\n$/, '')
  } catch {
    problems.push(`${one.env}_FILE names ${file}, which cannot be read.`)
    return undefined
  }
}

const childOf = (parent: unknown, key: string): unknown =>
  parent && typeof parent === 'object' ? (parent as Record<string, unknown>)[key] : undefined

/** The settings file may have numbers and lists, but settings are parsed from text. */
function asText(value: unknown, { isJson }: Setting): string {
  if (typeof value === 'string') return value
  const isPlainList =
    !isJson && Array.isArray(value) && value.every((item) => typeof item === 'string')
  return isPlainList ? value.join(',') : JSON.stringify(value)
}

function nest(origins: SettingOrigin[]): Record<string, unknown> {
  const root: Record<string, unknown> = {}
  for (const { path, text } of origins) {
    let parent = root
    for (const key of path.slice(0, -1)) {
      parent[key] ??= {}
      parent = parent[key] as Record<string, unknown>
    }
    const leaf = path.at(-1)
    if (leaf !== undefined && text !== undefined) parent[leaf] = text
  }
  return root
}

function unknownVariables(settings: Setting[], sources: SettingSources): string[] {
  const known = new Set(
    settings.flatMap((one) => [one.env, ...(one.isSecret ? [`${one.env}_FILE`] : [])]),
  )
  const prefix = /^[A-Z]+_/.exec(settings[0]?.env ?? '')?.[0] ?? ''
  const names = [...Object.keys(sources.environment), ...Object.keys(sources.dotEnv)]
  return [...new Set(names)]
    .filter((name) => name.startsWith(prefix) && !known.has(name))
    .map((name) => `${name} is not a setting and is ignored.${didYouMean(nearest(name, known))}`)
}

function unknownFileKeys(settings: Setting[], file: unknown): string[] {
  const known = new Set(settings.map((one) => one.path.join('.')))
  const groups = new Set(settings.flatMap((one) => one.path.slice(0, -1)))
  const walk = (value: unknown, path: string): string[] => {
    if (known.has(path)) return []
    const isGroup = path === '' || groups.has(path)
    if (isGroup && value && typeof value === 'object' && !Array.isArray(value)) {
      return Object.entries(value).flatMap(([key, child]) =>
        walk(child, path ? `${path}.${key}` : key),
      )
    }
    return [
      `trawl.config.json: ${path || 'the file'} is not a setting.${didYouMean(nearest(path, known))}`,
    ]
  }
  return file === undefined ? [] : walk(file, '')
}

const didYouMean = (name: string | undefined): string => (name ? ` Did you mean ${name}?` : '')
