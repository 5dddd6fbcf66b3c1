import { queryOptions } from '@tanstack/react-query'
import { trawl } from '../client.ts'
import { SchemaBook } from './json-schema.ts'

/** The service describes itself; it does so in another way only after a restart. */
export const apiDescriptionQuery = queryOptions({
  queryKey: ['api-description'],
  queryFn: async ({ signal }) => new SchemaBook(await trawl.service.getOpenapi({ signal })),
  staleTime: 'static',
  gcTime: Number.POSITIVE_INFINITY,
})
