interface PdfParts {
  info?: string
  /** Entries of the page's dictionary, such as annotations. */
  page?: string
  trailer?: string
  /** The content of each page instead of its lines. */
  stream?: { bytes: Buffer; filter: string }
}

/** Writes a PDF whose pages have these lines of text: size, left, bottom, text. */
export function pdfOf(pages: [number, number, number, string][][], parts: PdfParts = {}): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /Lang (en) >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${5 + 2 * index} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< ${parts.info ?? ''} >>`,
    ...pages.flatMap((lines, index) => {
      const text = lines
        .map(([size, x, y, text]) => `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${text}) Tj ET`)
        .join('\n')
      const stream = parts.stream?.bytes.toString('latin1') ?? text
      const filter = parts.stream ? `/Filter ${parts.stream.filter}` : ''
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${6 + 2 * index} 0 R /Resources << /Font << /F1 3 0 R >> >> ${parts.page ?? ''} >>`,
        `<< /Length ${stream.length} ${filter} >>\nstream\n${stream}\nendstream`,
      ]
    }),
  ]
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = body.length
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const xref = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R /Info 4 0 R ${parts.trailer ?? ''} >>`
  return Buffer.from(`${body}${xref}${trailer}\nstartxref\n${body.length}\n%%EOF\n`, 'latin1')
}
