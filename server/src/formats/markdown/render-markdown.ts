import MarkdownIt from 'markdown-it'

// Markup inside the markdown is text to it: all that it writes are elements of its own.
const renderer = new MarkdownIt({ html: false, linkify: false })
renderer.validateLink = (url) => allowedUrl.test(url)
// One definition and many links to it would write its URL once for each: 100 KB became 400 MB.
renderer.disable('reference')

/** No script can be in these, whatever a browser does with a link. */
const allowedUrl = /^(https?:|mailto:|#|data:image\/(png|gif|jpeg|webp);base64,)/i

/** Renders markdown as HTML. Raw HTML in it is escaped (XSS). */
export const renderMarkdown = (markdown: string): string => renderer.render(markdown)
