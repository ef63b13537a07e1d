import type { InputProperty } from 'modelrun'
import { findInputIssues } from 'modelrun/models'
import { type InputFile, toUrl } from './input-file.ts'

/** The settings of `generateImage`, `generateVideo` and `generateSpeech` that go into the input of a run. */
export interface Settings {
  prompt?: string | undefined
  text?: string | undefined
  size?: string | undefined
  resolution?: string | undefined
  aspectRatio?: string | undefined
  seed?: number | undefined
  duration?: number | undefined
  fps?: number | undefined
  generateAudio?: boolean | undefined
  voice?: string | undefined
  speed?: number | undefined
  language?: string | undefined
  instructions?: string | undefined
  outputFormat?: string | undefined
  files?: readonly InputFile[] | undefined
  mask?: InputFile | undefined
  image?: InputFile | undefined
  lastFrame?: InputFile | undefined
  inputReferences?: readonly InputFile[] | undefined
}

/** The value of a setting as a parameter takes it. */
export interface Fitted {
  value: unknown
  /** How it differs from what was asked for. */
  note?: string
}

/** Fits the value of a setting to a parameter; undefined where the parameter does not take it. */
type Fit = (value: unknown, property: InputProperty) => Fitted | undefined | Promise<Fitted | undefined>

/** How a setting reaches a model. */
export interface SettingRule {
  /** The parameters that may take it, best first. */
  parameters: Readonly<Record<string, Fit>>
  /** Without it a run is not what was asked for. A model that does not take it rejects the call, before anything is paid. */
  isEssential?: true
}

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

const oneFile: Fit = async (value) => ({ value: await toUrl(value as InputFile) })

const files: Fit = async (value, { type }) => {
  const given = value as readonly InputFile[]
  const [first] = given
  if (type === 'array') return { value: await Promise.all(given.map(toUrl)) }
  return given.length === 1 && first ? { value: await toUrl(first) } : undefined
}

/** Which parameters of a model may take a setting. The schema of the model decides. */
export const SETTING_RULES: Readonly<Record<keyof Settings, SettingRule>> = {
  prompt: { parameters: { prompt: plain, text: plain }, isEssential: true },
  text: { parameters: { text: plain, prompt: plain }, isEssential: true },
  size: { parameters: { size: pixels, image_size: pixels, resolution: pixels } },
  resolution: { parameters: { resolution: pixels, video_size: pixels, size: pixels } },
  aspectRatio: { parameters: { aspect_ratio: shape, ratio: shape, image_size: named, size: named } },
  seed: { parameters: { seed: plain } },
  duration: { parameters: { duration_seconds: plain, duration: plain, seconds: plain } },
  fps: { parameters: { fps: plain, frames_per_second: plain } },
  generateAudio: { parameters: { generate_audio: plain, with_audio: plain } },
  voice: { parameters: { voice: plain, voice_id: plain } },
  speed: { parameters: { speed: plain } },
  language: { parameters: { language: plain, language_code: plain } },
  instructions: { parameters: { instructions: plain, style_prompt: plain } },
  outputFormat: { parameters: { output_format: plain, format: plain } },
  files: { parameters: { image_urls: files, images: files, image_url: files, image: files }, isEssential: true },
  mask: { parameters: { mask_url: oneFile, mask: oneFile }, isEssential: true },
  image: { parameters: { first_frame_url: oneFile, image_url: oneFile, image: oneFile }, isEssential: true },
  lastFrame: { parameters: { last_frame_url: oneFile, end_image_url: oneFile }, isEssential: true },
  inputReferences: { parameters: { reference_urls: files, image_urls: files }, isEssential: true },
}

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
