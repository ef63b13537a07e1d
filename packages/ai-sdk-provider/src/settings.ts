import { type InputProperty, toDataUri } from 'modelrun'
import { findInputIssues } from 'modelrun/models'

/** A file of `ImageModelV4` or `VideoModelV4`: the two have the same shape. */
type InputFile =
  | { type: 'url'; url: string }
  | { type: 'file'; mediaType?: string | undefined; data: string | Uint8Array }

/** The value of a setting as a parameter takes it. */
interface Fitted {
  value: unknown
  /** How it differs from what was asked for. */
  note?: string
}

/** Fits the value of a setting to a parameter; undefined where the parameter does not take it. */
type Fit = (value: unknown, property: InputProperty) => Fitted | undefined | Promise<Fitted | undefined>

/** The value as it is, where the schema takes it. */
const plain: Fit = (value, property) => {
  const issues = findInputIssues({ type: 'object', properties: { value: property }, required: [] }, { value })
  return issues.length === 0 ? { value } : undefined
}

/** One of the names of the parameter that has the same shape, where sizes have names. */
const named: Fit = (value, { enum: names, default: preferred }) => {
  const ratio = ratioOf(String(value))
  const same = names?.filter((name) => ratio !== undefined && isClose(ratioOf(String(name)), ratio)) ?? []
  if (same.length === 0) return undefined
  return { value: same.includes(preferred) ? preferred : same[0] }
}

/** A shape, as the parameter names it or by a name of the same shape. */
const shape: Fit = async (value, property) => (await plain(value, property)) ?? (await named(value, property))

/** A size in pixels. A name of the same shape is another size, perhaps. */
const pixels: Fit = async (value, property) => {
  const exact = await plain(value, property)
  if (exact !== undefined) return exact
  const fitted = await named(value, property)
  return fitted && { ...fitted, note: `${fitted.value} has the shape of ${value}; the model has no sizes in pixels.` }
}

/** A file becomes a data URI. @throws ConfigurationError when it is too large */
async function toUrl(file: InputFile): Promise<string> {
  if (file.type === 'url') return file.url
  const { data, mediaType: type } = file
  const bytes = typeof data === 'string' ? Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)) : data
  return await toDataUri(bytes, { type })
}

const oneFile: Fit = async (value) => ({ value: await toUrl(value as InputFile) })

const files: Fit = async (value, { type }) => {
  const given = value as readonly InputFile[]
  const [first] = given
  if (type === 'array') return { value: await Promise.all(given.map(toUrl)) }
  return given.length === 1 && first ? { value: await toUrl(first) } : undefined
}

/** The parameters that may take a setting, best first. The schema of the model decides. */
export const SETTING_RULES: Readonly<Record<string, Readonly<Record<string, Fit>>>> = {
  prompt: { prompt: plain, text: plain },
  text: { text: plain, prompt: plain },
  size: { size: pixels, image_size: pixels, resolution: pixels },
  resolution: { resolution: pixels, video_size: pixels, size: pixels },
  aspectRatio: { aspect_ratio: shape, ratio: shape, image_size: named, size: named },
  seed: { seed: plain },
  duration: { duration_seconds: plain, duration: plain, seconds: plain },
  fps: { fps: plain, frames_per_second: plain },
  generateAudio: { generate_audio: plain, with_audio: plain },
  voice: { voice: plain, voice_id: plain },
  speed: { speed: plain },
  language: { language: plain, language_code: plain },
  instructions: { instructions: plain, style_prompt: plain },
  outputFormat: { output_format: plain, format: plain },
  files: { image_urls: files, images: files, image_url: files, image: files },
  mask: { mask_url: oneFile, mask: oneFile },
  image: { first_frame_url: oneFile, image_url: oneFile, image: oneFile },
  lastFrame: { last_frame_url: oneFile, end_image_url: oneFile },
  inputReferences: { reference_urls: files, image_urls: files },
}

/** Without these a run is not what was asked for: a model that does not take them rejects the call, before anything is paid. */
export const ESSENTIAL_SETTINGS = ['prompt', 'text', 'files', 'mask', 'image', 'lastFrame', 'inputReferences']

/** Parameters for the number of files of a run. */
export const COUNT_PARAMETERS = ['num_images', 'num_videos', 'num_outputs', 'n'] as const

/** Width by height of `1024x768`, `4:3`, `landscape_4_3`, `portrait_4_3` (which is 3:4) and `square_hd`. */
function ratioOf(text: string): number | undefined {
  if (/^square(_|$)/.test(text)) return 1
  const [, name, first, second] = /^(?:(portrait|landscape)_)?(\d+)[x:*_](\d+)$/.exec(text) ?? []
  const [width, height] = name === 'portrait' ? [Number(second), Number(first)] : [Number(first), Number(second)]
  return width && height ? width / height : undefined
}

function isClose(one: number | undefined, other: number): boolean {
  return one !== undefined && Math.abs(one / other - 1) < 0.01
}
