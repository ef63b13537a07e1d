const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'application/json': 'json',
}

/**
 * A file name for a downloaded output: the last segment of its URL, with the extension of its content type. The name
 * cannot lead out of a folder.
 */
export function fileNameOf(url: URL, contentType: string | undefined): string {
  const last = url.pathname.split('/').at(-1) ?? ''
  const safe = last
    .replace(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(-100)
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  const extension = Object.hasOwn(EXTENSIONS, type) ? EXTENSIONS[type] : undefined
  if (extension === undefined) return safe || 'output.bin'
  return `${safe.replace(/\.\w{1,5}$/, '') || 'output'}.${extension}`
}

/** A url without its query, which may hold a signature. */
export function nameOfUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}
