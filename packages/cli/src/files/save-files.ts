import { accessSync, constants } from 'node:fs'
import { eachOf, stringIn } from '@modelrun/kit'
import type { ModelRun, ProducedOutput } from 'modelrun'
import { diskProblem, messageOf, UnsavedError, UsageError } from '../errors.ts'
import { makeFolder } from './private-files.ts'

/** Names of files on every system: a service can hold anything. */
const UNSAFE = /[^\p{L}\p{N}._ ()-]+/gu
const LONGEST_PART = 80

/** `{prefix}-{job_id}-{index}`. The extension comes with the file. The name never leads out of its folder. */
export function fileName(prefix: string, jobId: string, index: number): string {
  const [first, job] = [prefix, jobId].map((part) => {
    return part.normalize('NFC').replace(UNSAFE, '-').slice(0, LONGEST_PART)
  })
  return `${first}-${job}-${index}`.replace(/^[.-]/, '_')
}

/** For a folder that knows its runs. */
export const KEEP_FOLDER =
  'Make it writable: another folder with --out knows none of its runs, and they would be paid again.'

/** Creates the folder, and checks that files can be written there. Called before a run is paid. @throws UsageError */
export function prepareFolder(folder: string, advice = 'Choose another folder with --out.'): void {
  try {
    makeFolder(folder)
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw new UsageError(`Files cannot be saved in ${folder}: ${messageOf(error)}. ${advice}`)
  }
}

/** Where a file goes when its name is taken: so many names are tried. */
const MOST_NAMES = 1_000

export interface SavePlan {
  folder: string
  prefix: string
  signal?: AbortSignal | undefined
}

const SAVES_AT_ONCE = 6

export interface SavedOutput {
  files: readonly string[]
  error?: UnsavedError
}

/** Saves each item of an output, whatever its neighbours are. A file that exists with other content stays. */
export async function saveOutputs(client: ModelRun, produced: ProducedOutput, plan: SavePlan): Promise<SavedOutput> {
  const { items } = produced.output
  const saves: Promise<string[]>[] = []
  await eachOf(items.keys(), SAVES_AT_ONCE, async (index) => {
    saves[index] = saveItem(client, produced, { ...plan, index })
    await Promise.allSettled([saves[index]])
  })
  const ends = await Promise.allSettled(saves)
  const files = ends.flatMap((end) => (end.status === 'fulfilled' ? end.value : []))
  const problems = ends.flatMap((end, index) => (end.status === 'rejected' ? [{ index, error: end.reason }] : []))
  const message = problems.map(({ index, error }) => {
    return `Item ${index} of the output is not saved: ${messageOf(error)}`
  })
  const { error: cause } = problems.find(({ error }) => diskProblem(error) !== undefined) ?? problems[0] ?? {}
  const isSaved = problems.length === 0
  return isSaved ? { files } : { files, error: new UnsavedError(message.join(' '), produced.job_id, { cause }) }
}

async function saveItem(client: ModelRun, produced: ProducedOutput, plan: SavePlan & { index: number }) {
  const { folder, prefix, signal, index } = plan
  const one = { ...produced, output: { ...produced.output, items: produced.output.items.slice(index, index + 1) } }
  const name = fileName(prefix, produced.job_id, index)
  for (let copy = 1; ; copy++) {
    try {
      return await client.files.save(one, folder, { name: () => (copy === 1 ? name : `${name}-${copy}`), signal })
    } catch (error) {
      if (copy >= MOST_NAMES || !/with other content/.test(messageOf(error))) throw error
    }
  }
}

export function urlsOf({ items }: ProducedOutput['output']): string[] {
  return items.flatMap((item) => stringIn(item, 'url') ?? []).filter((url) => !/^data:/i.test(url))
}

/** What is printed of an output whose files are not saved: urls, and texts as they are. */
export function shownOf({ items }: ProducedOutput['output']): string[] {
  const texts = items.map((item: unknown) => {
    return typeof item === 'string' ? item : (stringIn(item, 'url') ?? stringIn(item, 'text'))
  })
  return texts.filter((text) => text !== undefined)
}
