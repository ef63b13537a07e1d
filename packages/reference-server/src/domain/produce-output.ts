import type { Output, OutputItem } from '@modelrun/contract'
import { FILE_FORMS, type FileRequest } from '../media/produce-file.ts'
import type { Job } from './job.ts'
import { OWN_FILE, readScriptedFile, type ScriptedFile } from './scripted-outcome.ts'

const SQUARE_HD = { width: 1024, height: 1024 }

/** Pixels of an `image_size`, whose values section 2.3 names. */
const PIXELS_BY_SIZE: ReadonlyMap<unknown, { width: number; height: number }> = new Map([
  ['square', { width: 512, height: 512 }],
  ['square_hd', SQUARE_HD],
  ['portrait_4_3', { width: 768, height: 1024 }],
  ['landscape_16_9', { width: 1024, height: 576 }],
])

/** A catalog without a maximum must not let one request fill the memory. */
const MAX_FILES = 100

/** The output of a job that succeeded (section 2.5), with files that live under `baseUrl`. */
export function outputOf(job: Job, baseUrl: string): Output {
  const { type, items } = job.end?.output ?? ownOutput(job)
  const nameFile = (item: OutputItem, index: number) => {
    const url = `${baseUrl}/files/${job.id}/${fileName(job, index, item.url)}`
    return item.url.startsWith(OWN_FILE) ? { ...item, url } : item
  }
  return { ...job.end?.output, type, items: items.map(nameFile) }
}

function ownOutput(job: Job): Output {
  const type = job.model.output_kind
  return { type, items: Array.from({ length: fileCount(job) }, () => ({ type, url: OWN_FILE })) }
}

/** The file of a job that succeeded, to be produced, or one that a script has. `undefined` when it has none of this name. */
export function fileOf(job: Job, name: string): FileRequest | ScriptedFile | undefined {
  if (job.end?.status !== 'succeeded') return undefined
  const index = Number.parseInt(name, 10)
  const url = (job.end.output ?? ownOutput(job)).items[index]?.url
  if (!url?.startsWith(OWN_FILE) || name !== fileName(job, index, url)) return undefined
  if (url !== OWN_FILE) return readScriptedFile(url)
  return { kind: job.model.output_kind, prompt: promptOf(job), seed: job.seed + index, ...pixelsOf(job) }
}

/** Of a file of a script, the extension is that of its content type. */
function fileName({ model }: Job, index: number, url: string): string {
  if (url === OWN_FILE) return `${index}.${FILE_FORMS[model.output_kind].extension}`
  const type = /^{file}data:([^,;]*)/i.exec(url)?.[1] || 'text/plain'
  const subtype = /\/(?:x-)?(\w{1,5})(?![\w.-])/.exec(type)?.[1] ?? 'bin'
  return `${index}.${subtype === 'plain' ? 'txt' : subtype}`
}

function fileCount({ model, input }: Job): number {
  const count = model.output_kind === 'image' ? input.num_images : undefined
  return typeof count === 'number' && count >= 1 ? Math.min(Math.floor(count), MAX_FILES) : 1
}

function pixelsOf({ input }: Job): { width: number; height: number } {
  const { width, height } = PIXELS_BY_SIZE.get(input.image_size) ?? SQUARE_HD
  return { width: numberOr(input.width, width), height: numberOr(input.height, height) }
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

// Models differ in what they call their text (`prompt`, `text`, `image_url`): the file depends on all of it.
function promptOf({ input }: Job): string {
  return Object.values(input)
    .filter((value) => typeof value === 'string')
    .join('\n')
}
