import type { Output, OutputItem } from '@modelrun/contract'
import type { ErrorFields } from '@modelrun/kit'
import { ConfigurationError, eachOf, isText, ModelRunError, readArguments, showValue, stringIn } from '@modelrun/kit'
import { abortable, withinScope } from '../../shared/clock.ts'
import { SaveError } from '../errors/local-errors.ts'
import { interrupted } from '../http/send-attempt.ts'
import { INTERRUPTION_ERRORS } from '../http/to-error.ts'
import { DEFAULT_DEADLINE_MS } from '../job-handle.ts'
import { textOf } from '../observe/logger.ts'
import type { ResolvedOptions } from '../options.ts'
import { type OpenedDownload, openFile } from './download.ts'
import { checkMedia, HEAD_BYTES } from './error-page.ts'
import { aboutFile } from './file-name.ts'
import type { DownloadOptions, SaveOptions } from './file-options.ts'
import { fileSystem, writeFile } from './write-file.ts'

/** The output of a job: a result, or the event of a webhook. */
export interface ProducedOutput {
  /** Identifier of the job; part of the file names. */
  job_id: string
  /** The produced files (section 2.5). */
  output: Output
}

/**
 * Saves every file of an output. When one fails, the others are still completed before the call rejects. The same call
 * again fetches only the missing files.
 */
export async function saveFiles(
  client: ResolvedOptions,
  produced: ProducedOutput,
  { folder, name, overwrite = false, ...options }: SaveOptions & { folder: string },
): Promise<string[]> {
  const { job_id: jobId, output } = checkArguments(produced, folder)
  const system = fileSystem()
  const names = namesOf(output.items, { jobId, name })
  const saving = { client, jobId, options }
  await onDisk(() => system.fs.mkdir(folder, { recursive: true }), { ...saving, path: folder })
  const save = async (item: OutputItem, index: number) => {
    const open = () => openFile(client, isPlainText(item) ? { text: item } : item, { ...options, jobId })
    const opened = await open().catch((error) => Promise.reject(ofItem(error, index, jobId)))
    try {
      const file = await started(opened, item, jobId)
      const { transfer } = file
      const path = system.path.join(folder, names[index]?.(file.name) ?? file.name)
      const write = async () => {
        if (!(await writeFile(transfer, { fs: system.fs, path, overwrite }))) throw otherContent(path, jobId)
      }
      await onDisk(write, { ...saving, path, transfer })
      return path
    } finally {
      opened.transfer.close()
    }
  }
  const ends: Promise<string>[] = []
  // All of it before the first error is thrown.
  await eachOf(output.items.entries(), CONCURRENCY, async ([index, item]) => {
    ends[index] = save(item, index)
    await Promise.allSettled([ends[index]])
  })
  return await Promise.all(ends)
}

/** What looks like a url, and is none that can be fetched, is not the content of a file. */
function isPlainText(item: unknown): item is string {
  return typeof item === 'string' && !/^\s*(data:|(\/|[a-z][a-z0-9+.-]*:)\S*\s*$)/i.test(item)
}

/** An item that no file can be made of is named: the others are saved. */
function ofItem(error: unknown, index: number, jobId: string): unknown {
  if (!(error instanceof ConfigurationError) || error.jobId !== undefined) return error
  const problem = `The item ${index} of the output cannot be saved: ${error.message}`
  return new ConfigurationError({ ...aboutFile(problem, jobId), cause: error.cause })
}

/** Files that are fetched at once: the hosts of files limit connections too. */
const CONCURRENCY = 6

/** Errors of the system that may pass by themselves. */
const PASSING = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EBUSY', 'EAGAIN'])

interface Saving {
  client: ResolvedOptions
  jobId: string
  options: DownloadOptions
  path: string
  transfer?: OpenedDownload['transfer']
}

/** Nothing waits for a file system, which may never respond, after the abort or the deadline. */
async function onDisk<T>(work: () => Promise<T>, saving: Saving): Promise<T> {
  const { signal, deadlineMs = DEFAULT_DEADLINE_MS } = saving.options
  return await withinScope({ clock: saving.client.clock, signal, deadlineMs }, async (scope) => {
    try {
      scope.signal.throwIfAborted()
      return await abortable(work(), scope.signal)
    } catch (error) {
      const { transfer } = saving
      scope.sent = transfer?.scope?.sent ?? scope.sent
      if (!scope.signal.aborted) throw toSaveError(error, saving)
      // A download that was stopped with it says more.
      await transfer?.read({ mayRestart: true })
      const { kind, cause } = interrupted(scope.signal, 'accepted')
      const reason = kind === 'aborted' ? 'it was aborted by the caller' : `deadlineMs (${deadlineMs} ms) passed`
      throw new INTERRUPTION_ERRORS[kind](fieldsOf(`${reason}.`, cause, saving))
    }
  })
}

function toSaveError(error: unknown, saving: Saving): ModelRunError {
  if (error instanceof ModelRunError) return error
  const problem = stringIn(error, 'message') ?? textOf(error)
  const remedy = 'Make room, or take another folder or the option `name`, and save again.'
  const isRetryable = PASSING.has(stringIn(error, 'code') ?? '')
  return new SaveError({ ...fieldsOf(`${problem}. ${remedy}`, error, saving), isRetryable })
}

function fieldsOf(problem: string, cause: unknown, { path, jobId }: Saving): ErrorFields {
  return { ...aboutFile(`${path} could not be written: ${problem}`, jobId), cause }
}

function checkArguments(produced: ProducedOutput | undefined, folder: unknown): ProducedOutput {
  return readArguments('files.save', () => {
    if (!Array.isArray(produced?.output?.items) || typeof produced.job_id !== 'string') {
      throw new ConfigurationError({
        message: '`files.save` takes what a job produced: a result, or the event of a job that succeeded.',
      })
    }
    if (isText(folder)) return produced
    throw new ConfigurationError({
      message: `\`files.save\` needs the path of a folder, like \`client.files.save(result, 'out')\`, not ${showValue(folder)}. Nothing was fetched.`,
    })
  })
}

function otherContent(path: string, jobId: string): ConfigurationError {
  const problem = `A file ${path} with other content exists and was not changed. Pass \`overwrite: true\`, another folder, or the option \`name\`.`
  return new ConfigurationError(aboutFile(problem, jobId))
}

/** An extension; `2` in `poster v1.2` is none. */
const EXTENSION = /\.[a-z]\w{0,9}$/i

/**
 * The names under which the files of an output are saved, as functions of the name that the response suggests.
 *
 * @throws ConfigurationError when a name leads out of the folder, or two are the same
 */
export function namesOf(
  items: readonly OutputItem[],
  { jobId, name }: { jobId: string; name?: SaveOptions['name'] },
): ((suggested: string) => string)[] {
  const taken = new Set<string>()
  const take = (chosen: string) => {
    // Many file systems see no difference between these.
    const key = chosen.normalize('NFC').toLowerCase()
    if (taken.has(key)) {
      throw new ConfigurationError(aboutFile(`Two files would get the name ${JSON.stringify(chosen)}.`, jobId))
    }
    taken.add(key)
  }
  const chosen = items.map((item, index) => {
    const base =
      name === undefined
        ? `${jobId.replace(/[^\w.-]+/g, '_').slice(-200)}-${index}`
        : checkName(name(item, index), jobId)
    take(base)
    return base
  })
  return chosen.map((base) => (suggested) => {
    const extension = EXTENSION.exec(suggested)?.[0] ?? ''
    if (extension === '' || (name !== undefined && EXTENSION.test(base))) return base
    take(`${base}${extension}`)
    return `${base}${extension}`
  })
}

/** How the files start that models mostly make, by their extension. A package that knows all would be in every bundle. */
const SIGNATURES = {
  png: /^\x89PNG/,
  jpg: /^\xff\xd8\xff/,
  webp: /^RIFF.{4}WEBP/s,
  gif: /^GIF8/,
  avif: /^.{4}ftypavif/s,
  mp4: /^.{4}ftyp/s,
  webm: /^.E\xdf\xa3/s,
  mp3: /^(ID3|\xff[\xf2\xf3\xfb])/,
  wav: /^RIFF.{4}WAVE/s,
  ogg: /^OggS/,
  flac: /^fLaC/,
  glb: /^glTF/,
}

/** Checks the first bytes: a host may send a page now, and the file later. A name without an extension gets that of their type. */
async function started(opened: OpenedDownload, item: unknown, jobId: string) {
  const { name, transfer } = opened
  let chunks: { at: number; bytes: Uint8Array<ArrayBuffer> }[] = []
  for (let size = 0; size < HEAD_BYTES; ) {
    const chunk = await transfer.read({ mayRestart: true })
    if (chunk === undefined) break
    chunks = chunk.at === 0 ? [chunk] : [...chunks, chunk]
    size = chunk.at + chunk.bytes.byteLength
  }
  const bytes = new Uint8Array(await new Blob(chunks.map((chunk) => chunk.bytes)).arrayBuffer())
  checkMedia(bytes, opened, { item, jobId })
  const read: typeof transfer.read = async (how) => chunks.shift() ?? (await transfer.read(how))
  const whole = { ...transfer, read, close: () => transfer.close() }
  if (EXTENSION.test(name) && !name.endsWith('.bin')) return { name, transfer: whole }
  const start = String.fromCharCode(...bytes.subarray(0, 12))
  const [extension] = Object.entries(SIGNATURES).find(([, pattern]) => pattern.test(start)) ?? []
  return { name: extension === undefined ? name : `${name.replace(/\.bin$/, '')}.${extension}`, transfer: whole }
}

function checkName(name: unknown, jobId: string): string {
  // A colon names a drive, or a hidden stream of another file, under Windows.
  const isPlain = typeof name === 'string' && name.trim() !== '' && !/^\.{1,2}$|[/\\:\p{Cc}]/u.test(name)
  if (isPlain) return name
  const problem = `The option \`name\` must give a plain file name, without slashes, colons and control characters, not ${showValue(name)}.`
  throw new ConfigurationError(aboutFile(problem, jobId))
}
