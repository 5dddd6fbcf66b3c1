import { fastify } from 'fastify'

/** The baseline: Fastify alone. The argument maps methods and paths to prepared bodies. */
const bodies: Record<string, object> = JSON.parse(process.argv[2] ?? '{}')
const codes: Record<string, number> = { POST: 202 }
const app = fastify()
for (const [request, body] of Object.entries(bodies)) {
  const [method = 'GET', url = '/'] = request.split(' ')
  app.route({
    method,
    url,
    handler: async (_request, reply) => reply.code(codes[method] ?? 200).send(body),
  })
}
console.error(await app.listen({ port: 0, host: '127.0.0.1' }))
