import { ConfigurationError } from '@modelrun/kit'

/** A file whose type is asked for. */
interface TypedFile {
  /** For messages. */
  name: string
  /** Media type that its source states; may be empty. */
  type: string
  bytes: Uint8Array
}

/** Types that do not describe the content. */
const UNKNOWN = ['application/octet-stream', 'binary/octet-stream']

/**
 * The media type of a file, without parameters.
 *
 * The bytes decide. Where they say only what contains the file (a video or a sound), or nothing, the stated type does.
 *
 * @param stated by the caller, over what the file's source states
 * @throws ConfigurationError when bytes and stated type are of different kinds, or neither gives a type
 */
export async function mediaTypeOf(file: TypedFile, stated?: string): Promise<string> {
  const declared = stated === undefined ? sourceType(file) : readType(stated)
  const fileTypes = await loadFileTypes()
  const recognized = essence((await fileTypes.fileTypeFromBuffer(file.bytes))?.mime ?? '')
  const detected = isSvg(file.bytes) ? 'image/svg+xml' : recognized
  // XML can be anything.
  if (detected === undefined || detected === 'application/xml') {
    if (declared === undefined) throw unknownType(file)
    const isRecognizable = kindOfType(declared) === 'image' && fileTypes.supportedMimeTypes.has(declared)
    if (isRecognizable || !mayBe(declared, file.bytes)) throw anotherFile(file, `said to be ${declared}, but is not`)
    return declared
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

/** Whether unrecognized bytes can be of this type. Of images, sounds and videos only SVG is text. */
function mayBe(type: string, bytes: Uint8Array): boolean {
  const text = textOf(bytes)
  if (text === undefined || kindOfType(type) === 'other') return true
  return type === 'image/svg+xml' && !/<(!doctype )?html\b/i.test(text)
}

/** A container holds audio or video. Its first bytes do not say which. */
function kindOfType(type: string): 'image' | 'sound or video' | 'other' {
  const family = type.split('/', 1)[0]
  if (family === 'image') return family
  return family === 'audio' || family === 'video' ? 'sound or video' : 'other'
}

/** The type that the source states. A web page or JSON is a server's error. */
function sourceType(file: TypedFile): string | undefined {
  const type = essence(file.type)
  if (type === undefined || UNKNOWN.includes(type)) return undefined
  if (/^text\/html$|[/+]json$/.test(type)) throw anotherFile(file, type)
  return type
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

function unknownType({ name, bytes }: TypedFile): ConfigurationError {
  const advice = "If it is the file that you mean, pass its type, e.g. { type: 'image/x-icon' }."
  return new ConfigurationError({
    message: `${name} is of no known type: its content starts with ${describeStart(bytes)}. ${advice}`,
  })
}

function anotherFile({ name, bytes }: TypedFile, problem: string): ConfigurationError {
  const advice = 'Was an error page saved instead of the file, or the file damaged?'
  return new ConfigurationError({
    message: `${name} is ${problem}: its content starts with ${describeStart(bytes)}. ${advice}`,
  })
}

/** Number of bytes that are enough to recognize text. */
const HEAD_BYTES = 512

/** An `svg` element, with nothing before it but what XML allows there. Each text matches in one way: none takes long. */
const SVG = /^(?:\s|<\?xml[^>]*>|<!--(?:(?!-->).)*-->|<!doctype svg[^>]*>)*<svg\b/is

/** Whether a file is an SVG image. */
export function isSvg(bytes: Uint8Array): boolean {
  return SVG.test(textOf(bytes) ?? '')
}

/** The start of a file as text; `undefined` when it contains bytes that text does not contain. */
function textOf(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, HEAD_BYTES)
  const isBinary = head.some((byte) => byte < 0x20 && !'\t\n\f\r\x1b'.includes(String.fromCharCode(byte)))
  return isBinary ? undefined : new TextDecoder().decode(head).trimStart()
}

/** The start of a file for a message: text in quotes, other bytes in hexadecimal. */
function describeStart(bytes: Uint8Array): string {
  const text = textOf(bytes)
  if (text !== undefined) return JSON.stringify(text.slice(0, 60))
  return Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join(' ')
}
