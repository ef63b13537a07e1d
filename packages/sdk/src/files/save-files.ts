import type { Output } from '@modelrun/contract'
import { isText, readArguments, showValue } from '../arguments/checks.ts'
import { ConfigurationError } from '../errors/local-errors.ts'
import type { ResolvedOptions } from '../options.ts'
import { openFile } from './download.ts'
import { resultIsSafe } from './file-error.ts'
import type { SaveOptions } from './file-options.ts'
import { type FileSystem, fileSystem } from './file-system.ts'
import { namesOf } from './saved-names.ts'
import { writeFile } from './write-file.ts'

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
  await system.fs.mkdir(folder, { recursive: true })
  const saves = output.items.map(async (item, index) => {
    const { transfer, ...file } = await openFile(client, item, { ...options, jobId })
    try {
      const path = system.path.join(folder, names[index]?.(file.name) ?? file.name)
      const canBe = overwrite || (await mayBeSame(system, path, file.size))
      if (canBe && (await writeFile(transfer, { fs: system.fs, path, overwrite }))) return path
      throw otherContent(path, jobId)
    } finally {
      transfer.close()
    }
  })
  await Promise.allSettled(saves)
  return await Promise.all(saves)
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
      message: `\`save\` needs the path of a folder, like \`result.save('pictures')\`, not ${showValue(folder)}. Nothing was fetched.`,
    })
  })
}

/** Avoids the download of a file that cannot be saved. */
async function mayBeSame({ fs }: FileSystem, path: string, size: number | undefined): Promise<boolean> {
  const existing = await fs.stat(path).catch(() => undefined)
  return existing === undefined || size === undefined || existing.size === size
}

function otherContent(path: string, jobId: string): ConfigurationError {
  return new ConfigurationError({
    message: `A file ${path} with other content exists and was not changed. Pass \`overwrite: true\`, another folder, or the option \`name\`.${resultIsSafe(jobId)}`,
    jobId,
    submission: 'accepted',
  })
}
