const writeWords = /\b(?:insert|update|delete|replace)\b/i

/**
 * Whether the statement needs no write lock. Every statement that writes begins with a keyword for it,
 * or with `with` and has one further on. Mistaking a read for a write only costs time.
 */
export function isReadOnly(sql: string): boolean {
  const firstWord = /^(?:\s|--[^\n]*\n)*([a-z]+)/i.exec(sql)?.[1]?.toLowerCase()
  return firstWord === 'select' || (firstWord === 'with' && !writeWords.test(sql))
}
