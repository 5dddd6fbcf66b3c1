import type { FastifyRequest } from 'fastify'

/**
 * Empty where the connection was reset before it was accepted: Node knows no address then, which Fastify's type
 * does not say.
 */
export const clientAddress = ({ ip }: Pick<FastifyRequest, 'ip'>): string => ip ?? ''
