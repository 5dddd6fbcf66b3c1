import { sql, sqlValue } from '../statement.ts'

/** What the bytes are: the body of a page as the target sent it, or an image of it. */
export type BlobKind = 'page' | 'screenshot'

/** Large bytes live in a table of their own, so that reading a result's row does not read them. */
export const insertBlob = (blob: { ownerId: string; kind: BlobKind; bytes: Uint8Array }) =>
  sql<never>`
    insert into blobs (owner_id, kind, bytes) values (${blob.ownerId}, ${blob.kind}, ${blob.bytes})`

export const readBlob = (blob: { ownerId: string; kind: BlobKind }) =>
  sqlValue<Uint8Array>`
    select bytes from blobs where owner_id = ${blob.ownerId} and kind = ${blob.kind}`
