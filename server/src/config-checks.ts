import { passwordCharactersAdvised } from './domain/account/account.ts'

interface CheckedSettings {
  firstAccount: { password?: string | undefined }
  store: {
    databaseUrl?: string | undefined
    secretKey?: Buffer | undefined
    secretKeyPrevious?: Buffer | undefined
  }
}

/** What is allowed and yet should be changed. */
export function weaknesses({ firstAccount: { password } }: CheckedSettings): string[] {
  const isWeak = password !== undefined && password.length < passwordCharactersAdvised
  return isWeak
    ? [`TRAWL_PASSWORD is short: choose ${passwordCharactersAdvised} characters or more.`]
    : []
}

/** Settings that are each fine but do not go together. */
export function problemsBetween(config: CheckedSettings): string[] {
  const { databaseUrl, secretKey, secretKeyPrevious } = config.store
  const problems: string[] = []
  if (databaseUrl && !/^postgres(ql)?:/.test(databaseUrl)) {
    problems.push('TRAWL_DATABASE_URL must begin with postgres://; leave it unset for SQLite.')
  }
  if (databaseUrl && !secretKey) {
    problems.push(
      'TRAWL_SECRET_KEY is required with TRAWL_DATABASE_URL: the same on every machine. Make one with "openssl rand -base64 32".',
    )
  }
  if (secretKeyPrevious && (!secretKey || secretKey.equals(secretKeyPrevious))) {
    problems.push(
      'TRAWL_SECRET_KEY_PREVIOUS needs another key beside it, the new one, in TRAWL_SECRET_KEY. Make one with "openssl rand -base64 32".',
    )
  }
  return problems
}
