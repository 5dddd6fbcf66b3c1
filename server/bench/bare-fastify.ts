import { fastify } from 'fastify'

/** The baseline: what the framework alone can do with bodies known beforehand. Paths and bodies as JSON. */
const bodies: Record<string, object> = JSON.parse(process.argv[2] ?? '{}')
const app = fastify()
for (const [path, body] of Object.entries(bodies)) app.get(path, async () => body)
console.error(await app.listen({ port: 0, host: '127.0.0.1' }))
