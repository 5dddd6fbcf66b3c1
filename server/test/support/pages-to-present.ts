import type { DataOrder } from '../../src/formats/catalogue.ts'
import type { PageToPresent } from '../../src/formats/present.ts'

/** A page that a worker presents in a moment. */
export const smallPage: PageToPresent = {
  body: Buffer.from('<p>one    two</p>'),
  contentEncoding: undefined,
  contentType: 'text/html',
  isJson: false,
  minify: undefined,
  form: 'embedded',
}

export const orderOf = (...formats: DataOrder['formats']): DataOrder => ({
  url: 'https://site.example/',
  formats,
  hasLinks: false,
  isMainContentOnly: false,
  rules: undefined,
})
