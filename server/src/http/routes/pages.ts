import { z } from 'zod'
import { Failure } from '../../domain/failure.ts'
import { frontPage } from '../pages/front-page.ts'
import { pageResponse } from '../pages/html-page.ts'
import { chooseEncoding } from '../responses/choose-encoding.ts'
import { defineRoute, type Route, RouteResponse } from '../route.ts'

const getFrontPage = defineRoute('service', {
  operationId: 'getFrontPage',
  request: 'GET /',
  summary: 'The dashboard; until it is built, health and a first request to copy',
  response: pageResponse,
  examples: { page: { summary: 'The page' } },
  handle: ({ raw }, useCases) => frontPage(raw.headers, useCases),
})

const getDashboardPage = defineRoute('service', {
  operationId: 'getDashboardPage',
  request: 'GET /app/*',
  notInApi:
    'Addresses within the dashboard, which change with it; a program has nothing to read there.',
  summary: 'A page of the dashboard',
  response: pageResponse,
  handle: ({ raw }, useCases) => frontPage(raw.headers, useCases),
})

/** The name of a file has a hash of its content. */
const forGood = 'public, max-age=31536000, immutable'

const getDashboardFile = defineRoute('service', {
  operationId: 'getDashboardFile',
  request: 'GET /app/assets/:file',
  notInApi: 'Scripts and styles of the dashboard; their names change with every build.',
  summary: 'A script or style of the dashboard',
  params: z.object({ file: z.string() }),
  response: {
    description: 'The file.',
    contentType: 'text/javascript; charset=utf-8',
    body: z.string(),
  },
  failures: ['NOT_FOUND'],

  handle({ params, raw }, { dashboard }) {
    const file = dashboard.files()?.assets.get(params.file)
    if (!file) throw new Failure('NOT_FOUND', 'The dashboard has no such file. Reload the page.')
    const { contentType, plain, gzip, brotli } = file
    const { encoding, bytes } = chooseEncoding(raw.headers['accept-encoding'], {
      br: brotli,
      gzip,
      identity: plain,
    })
    return new RouteResponse(Buffer.from(bytes), {
      headers: {
        'content-type': contentType,
        'cache-control': forGood,
        vary: 'accept-encoding',
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      },
    })
  },
})

export const pageRoutes: readonly Route[] = [getFrontPage, getDashboardPage, getDashboardFile]
