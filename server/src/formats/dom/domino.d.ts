// The package's own types need the DOM library, whose globals (`name`, `event`) do not exist in Node.
declare module '@mixmark-io/domino' {
  /** The result has the shape of `Document` in `dom.ts`. */
  export function createDocument(html: string, force?: boolean): unknown
}
