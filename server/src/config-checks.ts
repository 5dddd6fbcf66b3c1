import { passwordCharactersAdvised } from './domain/account/account.ts'

interface CheckedSettings {
  http: { publicUrl?: string | undefined }
  firstAccount: { password?: string | undefined }
  store: {
    databaseUrl?: string | undefined
    secretKey?: Buffer | undefined
    secretKeyPrevious?: Buffer | undefined
  }
}

/** Warnings about settings that are valid but weak. */
export function securityWarnings({ firstAccount: { password } }: CheckedSettings): string[] {
  const isWeak = password !== undefined && password.length < passwordCharactersAdvised
  return isWeak
    ? [`TRAWL_PASSWORD is short: choose ${passwordCharactersAdvised} characters or more.`]
    : []
}

/** Problems of settings that are each valid but do not fit together. */
export function conflictsBetween(config: CheckedSettings): string[] {
  const { databaseUrl, secretKey, secretKeyPrevious } = config.store
  const problems: string[] = []
  const { username, password } = URL.parse(config.http.publicUrl ?? '') ?? {}
  if (username || password) {
    problems.push(
      'TRAWL_PUBLIC_URL must have no user and password: links in results begin with it.',
    )
  }
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
      'TRAWL_SECRET_KEY_PREVIOUS needs a new, different key in TRAWL_SECRET_KEY. Make one with "openssl rand -base64 32".',
    )
  }
  return problems
}
