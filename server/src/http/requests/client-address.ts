import type { FastifyRequest } from 'fastify'

/**
 * Empty where the connection was reset before it was accepted: Node knows no address then, which Fastify's type
 * does not say.
 */
export const clientAddress = ({ ip }: Pick<FastifyRequest, 'ip'>): string => ip ?? ''

/** Whose share of memory or of the event loop a request takes: its account's, or its address's where it has none. */
export const sharerOf = (request: Pick<FastifyRequest, 'account' | 'ip'>): string =>
  request.account?.id ?? clientAddress(request)
