import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

// OWASP's first choice for argon2id; about 40 ms of one core each.
const memoryKib = 19_456
const passes = 2
const parallelism = 1

/** Hashes a password into the PHC string format, which names the parameters, so they can change later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derived(password, {
    nonce: salt,
    memory: memoryKib,
    passes,
    parallelism,
    tagLength: 32,
  })
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`
}

/** Compares in constant time. A malformed stored hash is a bug and throws. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, , , parameters = '', salt = '', expected = ''] = stored.split('$')
  const [m, t, p] = parameters.split(',').map((part) => Number(part.slice(2)))
  const wanted = Buffer.from(expected, 'base64')
  const hash = await derived(password, {
    nonce: Buffer.from(salt, 'base64'),
    memory: m ?? memoryKib,
    passes: t ?? passes,
    parallelism: p ?? parallelism,
    tagLength: wanted.length,
  })
  return timingSafeEqual(hash, wanted)
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

const derived = (password: string, parameters: Omit<Argon2Parameters, 'message'>) =>
  derive('argon2id', { ...parameters, message: Buffer.from(password) })
