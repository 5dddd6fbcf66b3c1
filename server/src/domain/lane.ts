/** What a worker claims from. A full lane never delays the others. */
export type Lane = 'http' | 'browser' | 'delivery'
