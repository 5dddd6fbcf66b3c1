import { z } from 'zod'
import { proxyTypes } from '../../domain/scrape/extract-options.ts'
import type { ProxyPool } from '../../tasks/proxies/proxy-pool.ts'
import { proxiesExamples, systemExamples } from '../../wire/operator/examples.ts'
import { System } from '../../wire/operator/responses.ts'
import { envelopeOfAll, PageQuery, pageEnvelope } from '../../wire/pagination.ts'
import { defineRoute, type Route } from '../route.ts'

const getSystem = defineRoute('operator', {
  operationId: 'getSystem',
  request: 'GET /v1/system',
  summary: 'See the whole service',
  description:
    'Version, store, every process on it, the queue, the settings with where each came from, and whether the machine is fit. It starts no browser.',
  response: { description: 'The service as it is now.', body: System },
  examples: systemExamples,
  handle: (_request, { describeSystem }) => describeSystem(),
})

const ProxyObject = z
  .object({
    label: z.string(),
    type: z.enum(proxyTypes),
    country: z.string().nullable().describe('ISO 3166-1 alpha-2.'),
    any_country: z.boolean().describe('Whether it is in whatever country is asked for.'),
    state: z
      .enum(['ready', 'cooling_down'])
      .describe('One that refused lately cools down and is chosen last.'),
    cooldown_seconds: z.int().describe('How much longer it cools down; 0 if it does not.'),
    score: z.number().describe('Its health, 0 to 1; 1 also before it was used.'),
    latency_ms: z.int().nullable().describe('Recent latency; null until it was used.'),
    active_uses: z.int().describe('Attempts that use it now.'),
  })
  .meta({ id: 'ProxyObject' })

const listProxies = defineRoute('operator', {
  operationId: 'listProxies',
  request: 'GET /v1/proxies',
  summary: 'List the proxies with their health',
  description:
    'As this process sees them, in the order of the settings: each process has its own experience with a proxy, and one that runs no tasks has none. Never an address or a password.',
  query: PageQuery,
  response: {
    description: 'A page of them.',
    body: pageEnvelope(ProxyObject).meta({ id: 'ProxyList' }),
  },
  examples: proxiesExamples,
  handle: ({ query }, { proxies }) => envelopeOfAll(proxies.list(), query, toProxy),
})

type ProxyStatus = ReturnType<ProxyPool['list']>[number]

const toProxy = (status: ProxyStatus): z.input<typeof ProxyObject> => ({
  label: status.label,
  type: status.type,
  country: status.country,
  any_country: status.servesAnyCountry,
  state: status.cooldownMs > 0 ? 'cooling_down' : 'ready',
  cooldown_seconds: Math.ceil(status.cooldownMs / 1_000),
  score: Math.round(status.score * 100) / 100,
  latency_ms: status.latencyMs === undefined ? null : Math.round(status.latencyMs),
  active_uses: status.activeUses,
})

export const operatorRoutes: readonly Route[] = [getSystem, listProxies]
