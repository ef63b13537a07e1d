import { accessSync, constants } from 'node:fs'
import type { ModelRun, ProducedOutput } from 'modelrun'
import { messageOf, UsageError } from '../errors.ts'
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

/** Creates the folder, and checks that files can be written there. Called before a run is paid. @throws UsageError */
export function prepareFolder(folder: string, option = '--out'): void {
  try {
    makeFolder(folder)
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw new UsageError(
      `Files cannot be saved in ${folder}: ${messageOf(error)}. Choose another folder with ${option}.`,
    )
  }
}

/** Where a file goes when its name is taken: so many names are tried. */
const MOST_NAMES = 1_000

interface SavePlan {
  folder: string
  /** The start of the names. */
  prefix: string
  signal?: AbortSignal | undefined
}

/** Saves every file of an output. A file that exists with other content stays: the new ones get other names. */
export async function saveOutputs(client: ModelRun, produced: ProducedOutput, plan: SavePlan): Promise<string[]> {
  const { folder, prefix, signal } = plan
  for (let copy = 1; ; copy++) {
    const suffix = copy === 1 ? '' : `-${copy}`
    const name = (_: unknown, index: number) => fileName(prefix, produced.job_id, index) + suffix
    try {
      return await client.files.save(produced, folder, { name, signal })
    } catch (error) {
      if (copy >= MOST_NAMES || !/with other content/.test(messageOf(error))) throw error
    }
  }
}
