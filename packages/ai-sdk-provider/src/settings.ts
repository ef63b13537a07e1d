import type { ImageModelV4File } from '@ai-sdk/provider'
import { type InputProperty, toDataUri } from 'modelrun'
import { findInputIssues } from 'modelrun/models'

interface Fitted {
  value: unknown
  /** How it differs from what was asked for. */
  note?: string
}

/** Fits the value of a setting to a parameter; undefined where the parameter does not take it. */
type Fit = (value: unknown, property: InputProperty) => Fitted | undefined | Promise<Fitted | undefined>

/** The value as it is, where the schema takes it. */
function plain(value: unknown, property: InputProperty): Fitted | undefined {
  const issues = findInputIssues({ type: 'object', properties: { value: property }, required: [] }, { value })
  return issues.length === 0 ? { value } : undefined
}

/** One of the names of the parameter that has the same shape, where sizes have names. */
function named(value: unknown, { enum: names, default: preferred }: InputProperty): Fitted | undefined {
  const ratio = ratioOf(value)
  const same = names?.filter((name) => Math.abs(ratioOf(name) / ratio - 1) < 0.01) ?? []
  if (same.length === 0) return undefined
  return { value: same.includes(preferred) ? preferred : same[0] }
}

/** A shape, as the parameter names it or by a name of the same shape. */
function shape(value: unknown, property: InputProperty): Fitted | undefined {
  return plain(value, property) ?? named(value, property)
}

/** A size in pixels. A name of the same shape is another size, perhaps. */
const pixels: Fit = (value, property) => {
  const fitted = shape(value, property)
  if (fitted === undefined || fitted.value === value) return fitted
  return { ...fitted, note: `${fitted.value} has the shape of ${value}; the model has no sizes in pixels.` }
}

/** A file becomes a data URI. Those of `ImageModelV4` and `VideoModelV4` have the same shape. @throws ConfigurationError when it is too large */
async function toUrl(file: ImageModelV4File): Promise<string> {
  if (file.type === 'url') return file.url
  const { data, mediaType: type } = file
  const bytes = typeof data === 'string' ? Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)) : data
  return await toDataUri(bytes, { type })
}

/** A file or several, where the parameter takes as many. */
const files: Fit = async (value, { type }) => {
  const given = [value as ImageModelV4File | ImageModelV4File[]].flat()
  if (type !== 'array' && given.length > 1) return undefined
  const urls = await Promise.all(given.map(toUrl))
  return { value: type === 'array' ? urls : urls[0] }
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
  mask: { mask_url: files, mask: files },
  image: { first_frame_url: files, image_url: files, image: files },
  lastFrame: { last_frame_url: files, end_image_url: files },
  inputReferences: { reference_urls: files, image_urls: files },
}

/** Without these a run is not what was asked for: a model that does not take them rejects the call, before anything is paid. */
export const ESSENTIAL_SETTINGS = ['prompt', 'text', 'files', 'mask', 'image', 'lastFrame', 'inputReferences']

export const COUNT_PARAMETERS = ['num_images', 'num_videos', 'num_outputs', 'n'] as const

/** Width by height of `1024x768`, `4:3`, `landscape_4_3`, `portrait_4_3` (which is 3:4) and `square_hd`. NaN without a shape. */
function ratioOf(size: unknown): number {
  const text = String(size)
  if (/^square(_|$)/.test(text)) return 1
  const [, name, first, second] = /^(?:(portrait|landscape)_)?(\d+)[x:*_](\d+)$/.exec(text) ?? []
  const ratio = Number(first) / Number(second)
  return name === 'portrait' ? 1 / ratio : ratio
}
