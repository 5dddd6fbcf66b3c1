/** A URL of somebody else: a link only if it leads to a web page, and one that tells nothing of us. */
export function TargetLink({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return url
  return (
    <a href={url} rel="noreferrer noopener" target="_blank">
      {url}
    </a>
  )
}
