import { ConfigurationError } from '../errors/local-errors.ts'

/** A file whose type is asked for. */
interface TypedFile {
  /** For messages. */
  name: string
  /** Media type that its source states; may be empty. */
  type: string
  bytes: Uint8Array
}

/** So many bytes tell text from everything else. */
const HEAD_BYTES = 512

/** What says nothing of the content. */
const UNKNOWN = ['application/octet-stream', 'binary/octet-stream']

/**
 * The media type of a file, without parameters.
 *
 * The bytes decide. Where they say only what contains the file (a film or a sound, XML), the stated type goes further.
 *
 * @param stated by the caller, over what the file's source states
 * @throws ConfigurationError when bytes and stated type are of different kinds, or neither gives a type
 */
export async function mediaTypeOf(file: TypedFile, stated?: string): Promise<string> {
  const declared = stated === undefined ? sourceType(file.type) : readType(stated)
  const { fileTypeFromBuffer, supportedMimeTypes } = await loadFileTypes()
  const detected = essence((await fileTypeFromBuffer(file.bytes))?.mime ?? '')
  if (detected === undefined || detected === 'application/xml') {
    const isPicture = declared?.startsWith('image/') && supportedMimeTypes.has(declared)
    return checkUnrecognized(file, declared, { isStated: stated !== undefined, mustBeRecognized: isPicture === true })
  }
  if (declared === undefined) return detected
  if (kindOfType(declared) !== kindOfType(detected)) {
    throw new ConfigurationError({ message: `${file.name} is said to be ${declared}, but its content is ${detected}.` })
  }
  return kindOfType(detected) === 'image' ? detected : declared
}

/** Loaded on first use: only programs that send files of their own pay for it. */
async function loadFileTypes(): Promise<typeof import('file-type')> {
  try {
    return await import('file-type')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    // One of its dependencies reads the environment.
    const advice = 'Deno' in globalThis ? ' Deno needs --allow-env for it.' : ''
    throw new ConfigurationError({ message: `The package file-type could not be loaded: ${reason}${advice}`, cause })
  }
}

function checkUnrecognized(
  { name, bytes }: TypedFile,
  declared: string | undefined,
  { isStated, mustBeRecognized }: { isStated: boolean; mustBeRecognized: boolean },
): string {
  const text = textOf(bytes)
  const begins = `its content begins with ${text === undefined ? hexOf(bytes) : JSON.stringify(text.slice(0, 60))}`
  if (declared === undefined) {
    const message = `${name} is of no known type: ${begins}. Say which it is, e.g. { type: 'image/svg+xml' }.`
    throw new ConfigurationError({ message })
  }
  const isPage = !isStated && /^text\/html$|[/+]json$/.test(declared)
  const isOther = mustBeRecognized || (text !== undefined && !mayBeText(declared, text))
  if (!isPage && !isOther) return declared
  throw new ConfigurationError({
    message: `${name} is ${isPage ? declared : `said to be ${declared}, but is not`}: ${begins}. Was an error page saved instead of the file, or the file damaged?`,
  })
}

/** Whether a text can be of this type. Of pictures, sounds and films only SVG is text. */
function mayBeText(type: string, text: string): boolean {
  return type === 'image/svg+xml' ? /<svg\b/i.test(text) : kindOfType(type) === 'other'
}

/** A container holds sound or film: its first bytes do not tell which. */
function kindOfType(type: string): 'image' | 'sound or film' | 'other' {
  const family = type.split('/', 1)[0]
  if (family === 'image') return family
  return family === 'audio' || family === 'video' ? 'sound or film' : 'other'
}

function sourceType(type: string): string | undefined {
  const name = essence(type)
  return name === undefined || UNKNOWN.includes(name) ? undefined : name
}

function readType(type: string): string {
  const name = essence(type)
  if (name !== undefined) return name
  const shown = JSON.stringify(type)
  throw new ConfigurationError({
    message: `The option \`type\` must be a media type such as 'image/png', not ${shown}.`,
  })
}

/** A media type without its parameters. */
function essence(type: string): string | undefined {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?=\s*(;|$))/.exec(type)?.[0].toLowerCase()
}

/** The first bytes as text; `undefined` when they hold what no text holds. */
function textOf(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, HEAD_BYTES)
  const isBinary = head.some((byte) => byte < 0x20 && !'\t\n\f\r\x1b'.includes(String.fromCharCode(byte)))
  return isBinary ? undefined : new TextDecoder().decode(head).trimStart()
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join(' ')
}
