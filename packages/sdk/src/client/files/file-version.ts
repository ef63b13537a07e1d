/** The version and size of a file, by the head of a response. */
export interface FileVersion {
  /** A strong ETag, or a Last-Modified that is as good: with it, bytes of two responses may be put together. */
  validator: string | undefined
  /** Bytes of the whole file; undefined when the head does not say. */
  size: number | undefined
  /** Whether positions in the body are positions in the file, so that a rest can be requested. */
  hasRanges: boolean
  /** The headers that must agree when the whole file comes a second time. */
  form: string
}

/** Reads the head of a response with the whole file. */
export function readVersion({ headers, type }: Response): FileVersion {
  const encoding = headers.get('content-encoding') ?? 'identity'
  const length = headers.get('content-length')
  const validator = strongValidator(headers)
  // A page may not be shown the encoding of another origin, and `If-Range` would need a preflight there.
  const isPlain = encoding === 'identity' && type !== 'cors'
  return {
    validator,
    size: isPlain ? wholeNumberIn(length) : undefined,
    hasRanges: isPlain && validator !== undefined,
    form: `${encoding} ${length}`,
  }
}

/** Whether two responses certainly have the same bytes. */
export function isSameFile(one: FileVersion, other: FileVersion): boolean {
  return one.validator !== undefined && one.validator === other.validator && one.form === other.form
}

/** Requests the rest of a file from a position on, or the whole file when it has changed (RFC 9110, section 13.1.5). */
export function rangeHeaders({ validator = '' }: FileVersion, position: number): Record<string, string> {
  return { range: `bytes=${position}-`, 'if-range': validator }
}

/** Whether a response with the status 206 continues the same file at a position. */
export function continuesAt({ headers }: Response, version: FileVersion, position: number): boolean {
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '') ?? []
  if (start === undefined || Number(start) !== position || headers.has('content-encoding')) return false
  const hasSize = total === '*' || version.size === undefined || Number(total) === version.size
  return hasSize && [undefined, version.validator].includes(strongValidator(headers))
}

/** `Last-Modified` counts when there is no ETag, and a second passed before the response (section 8.8.2.2). */
function strongValidator(headers: Headers): string | undefined {
  const etag = headers.get('etag')
  if (etag !== null) return /^"[^"]*"$/.test(etag) ? etag : undefined
  const modified = headers.get('last-modified') ?? undefined
  const ageMs = Date.parse(headers.get('date') ?? '') - Date.parse(modified ?? '')
  return ageMs >= 1_000 ? modified : undefined
}

function wholeNumberIn(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined
}
