import type { ErrorFields } from '@modelrun/kit'

/** Of types whose names are not the extension. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'image/x-icon': 'ico',
  'image/vnd.microsoft.icon': 'ico',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'video/mpeg': 'mpg',
  'video/quicktime': 'mov',
  'video/x-matroska': 'mkv',
  'model/gltf-binary': 'glb',
  'model/gltf+json': 'gltf',
  'text/plain': 'txt',
}

/** Short names are the extension: `image/avif`, `audio/x-wav`, `application/zip`. */
const SHORT_TYPE = /^(?:image|audio|video|model|text|application)\/(?:x-)?([a-z][a-z0-9]{1,4})$/

/**
 * A file name for a downloaded output: that of its `content-disposition`, or the last segment of its URL, with the extension of its
 * content type. The name cannot lead out of a folder.
 */
export function fileNameOf(url: URL, headers: Pick<Headers, 'get'>): string {
  const safe = lastNameOf(url, headers.get('content-disposition') ?? '')
    .replace(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(-100)
  const extension = extensionOf(headers.get('content-type') ?? '')
  // Servers call what they do not know plain text.
  const isNamed = /\.\w{1,5}$/.test(safe)
  if (extension === undefined || (extension === 'txt' && isNamed)) return safe || 'output.bin'
  return `${safe.replace(/\.\w{1,5}$/, '') || 'output'}.${extension}`
}

function lastNameOf({ pathname }: URL, disposition: string): string {
  const named = /\bfilename\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(disposition)
  const path = named?.[1] ?? named?.[2] ?? pathname
  return path.split(/[/\\]/).at(-1) ?? ''
}

/** The extension of a media type, such as `png`. */
export function extensionOf(contentType: string): string | undefined {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  return Object.hasOwn(EXTENSIONS, type) ? EXTENSIONS[type] : SHORT_TYPE.exec(type)?.[1]
}

/** A url without its query, which may hold a signature. */
export function nameOfUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}

/** What an error about the file of a job says: the job is paid for, and its result is still available. */
export function aboutFile(problem: string, jobId: string | undefined): ErrorFields {
  if (jobId === undefined) return { message: problem }
  const message = `${problem} The result of the job ${jobId} is not lost: \`client.jobs.attach('${jobId}').result()\` gives it again and costs nothing.`
  return { message, jobId, submission: 'accepted' }
}
