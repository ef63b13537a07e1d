import { ConfigurationError, messageWithCause } from '@modelrun/kit'
import type { OpenFile } from './open-source.ts'

type ReadFile = Pick<OpenFile, 'name' | 'type'> & { bytes: Uint8Array }

/**
 * The media type of a file, without parameters. The bytes decide. Where they say only what contains the file (a video or a
 * sound), or nothing, the stated type does.
 *
 * @param stated by the caller, over what the file's source states
 * @throws ConfigurationError when bytes and stated type are of different kinds, or neither gives a type
 */
export async function mediaTypeOf(file: ReadFile, stated?: string): Promise<string> {
  const declared = stated === undefined ? sourceType(file) : readType(stated)
  const { fileTypeFromBuffer, supportedMimeTypes } = await loadFileTypes()
  const recognized = essence((await fileTypeFromBuffer(file.bytes))?.mime ?? '')
  const detected = isSvg(file.bytes) ? 'image/svg+xml' : recognized
  // XML can be anything.
  if (detected === undefined || detected === 'application/xml') {
    if (declared === undefined) throw notOfType(file, 'of no known type')
    const isRecognizable = kindOfType(declared) === 'image' && supportedMimeTypes.has(declared)
    if (isRecognizable || !mayBe(declared, file.bytes)) throw notOfType(file, `said to be ${declared}, but is not`)
    return declared
  }
  if (declared === undefined) return detected
  if (kindOfType(declared) !== kindOfType(detected)) {
    throw notOfType(file, `said to be ${declared}, but its content is ${detected}`)
  }
  return kindOfType(detected) === 'image' ? detected : declared
}

/** Loaded on first use: only programs that send files of their own pay for it. */
async function loadFileTypes(): Promise<typeof import('file-type')> {
  try {
    return await import('file-type')
  } catch (cause) {
    // One of its dependencies reads the environment.
    const advice = 'Deno' in globalThis ? ' Deno needs --allow-env for it.' : ''
    const message = `The package file-type could not be loaded: ${messageWithCause(cause)}${advice}`
    throw new ConfigurationError({ message, cause })
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
function sourceType(file: ReadFile): string | undefined {
  const type = essence(file.type)
  if (type === undefined || /^(application|binary)\/octet-stream$/.test(type)) return undefined
  if (/^text\/html$|[/+]json$/.test(type)) throw notOfType(file, type)
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

function notOfType({ name, bytes }: ReadFile, problem: string): ConfigurationError {
  const start = textOf(bytes)
  const shown = start === undefined ? '' : `; it starts with ${JSON.stringify(start.slice(0, 60))}`
  const advice = 'Was an error page saved instead of the file, or is it damaged? Otherwise pass the option `type`.'
  return new ConfigurationError({ message: `${name} is ${problem}${shown}. ${advice}` })
}

/** Number of bytes that are enough to recognize text. */
const HEAD_BYTES = 4_096

/** An `svg` element, with nothing before it but what XML allows there. Each text matches in one way: none takes long. */
const SVG = /^(?:\s|<\?xml[^>]*>|<!--(?:(?!-->).)*-->|<!doctype svg[^>[]*(?:\[[^\]]*\]\s*)?>)*<svg\b/is

export function isSvg(bytes: Uint8Array): boolean {
  return SVG.test(textOf(bytes) ?? '')
}

/** The start of a file as text; `undefined` when it contains bytes that text does not contain. */
function textOf(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, HEAD_BYTES)
  const isBinary = head.some((byte) => byte < 0x20 && !'\t\n\f\r\x1b'.includes(String.fromCharCode(byte)))
  return isBinary ? undefined : new TextDecoder().decode(head).trimStart()
}
