/** Ports that the fetch standard blocks above 1023: other protocols that HTTP could be smuggled into. */
const blocked = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10_080,
])

/** Below 1024 only HTTP and HTTPS are allowed. */
export const isForbiddenPort = (port: number): boolean =>
  port < 1024 ? port !== 80 && port !== 443 : blocked.has(port)
