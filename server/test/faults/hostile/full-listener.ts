/** A thread that listens and never accepts: connections wait in the kernel's backlog. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { parentPort } from 'node:worker_threads'

const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 })
await once(server, 'listening')
const address = server.address()
parentPort?.postMessage(typeof address === 'object' ? address?.port : undefined)
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
