/** The forms that a response is kept in, best first. */
interface EncodedForms {
  br: Uint8Array | undefined
  gzip: Uint8Array | undefined
  identity: Uint8Array
}

/** The best form that the client accepts (RFC 9110, section 12.5.3). */
export function chooseEncoding(
  accepted: string | string[] | undefined,
  forms: EncodedForms,
): { encoding: keyof EncodedForms; bytes: Uint8Array } {
  const weights = new Map(
    String(accepted ?? '')
      .toLowerCase()
      .split(',')
      .map((item) => {
        const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
        const weight = parameters.find((one) => one.startsWith('q='))?.slice(2)
        return [name, weight === undefined ? 1 : Number(weight)] as const
      }),
  )
  const isAccepted = (name: string) => (weights.get(name) ?? weights.get('*') ?? 0) > 0
  for (const encoding of ['br', 'gzip'] as const) {
    const bytes = forms[encoding]
    if (bytes && isAccepted(encoding)) return { encoding, bytes }
  }
  return { encoding: 'identity', bytes: forms.identity }
}
