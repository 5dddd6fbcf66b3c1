import { Capabilities } from '../../wire/service/responses.ts'
import { defineRoute, type Route } from '../route.ts'

const getCapabilities = defineRoute('service', {
  operationId: 'getCapabilities',
  request: 'GET /capabilities',
  summary: 'What can this service do right now?',
  description: 'Has the browser open a page, at most every 30 s, and waits 5 s for it at most.',
  response: { description: 'Engines, roles, store and limits.', body: Capabilities },
  examples: {
    engines: {
      summary: 'One process with a browser and without proxies',
      response: {
        service: 'trawl',
        version: '0.1.0',
        store: 'sqlite',
        roles: ['api', 'worker', 'delivery'],
        engines: {
          browser: {
            state: 'ready',
            version: '156.0',
            flavor: 'shell',
            sandbox: 'on',
            opens_pages: true,
          },
        },
        proxies: {
          total: 0,
          residential: 0,
          datacenter: 0,
          countries: [],
          any_country: false,
          cooling_down: 0,
        },
        limits: { body_bytes_max: 262_144 },
      },
    },
  },
  handle: (_request, { capabilities }) => capabilities({ isBrowserTried: true }),
})

export const capabilityRoutes: readonly Route[] = [getCapabilities]
