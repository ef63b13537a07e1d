import { access, constants, mkdir } from 'node:fs/promises'
import type { ModelRun, ProducedOutput } from 'modelrun'
import { UsageError } from '../errors/usage-error.ts'
import { EXTENSION, fillTemplate, type TemplateValues } from './file-template.ts'

/** Where a file goes when its name is taken: so many names are tried. */
const MOST_NAMES = 1_000

/** Creates the folder, and checks that files can be written there. Called before a run is paid. @throws UsageError */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`Files cannot be saved in ${folder}: ${reason}. Choose another folder with --out.`)
  }
}

/** Where and how files are named. */
export interface SavePlan {
  folder: string
  template: string
  values: Omit<TemplateValues, 'index'>
  signal?: AbortSignal | undefined
}

/** Saves every file of an output. A file that exists with other content stays: the new one gets another name. */
export async function saveOutputs(client: ModelRun, produced: ProducedOutput, plan: SavePlan): Promise<string[]> {
  const names = namesOf(produced, plan)
  const saves = produced.output.items.map((item, index) => {
    const one = { job_id: produced.job_id, output: { ...produced.output, items: [item] } }
    return saveOne(client, one, { ...plan, name: names[index] ?? String(index) })
  })
  // All of them, also when one fails: what came is there.
  await Promise.allSettled(saves)
  return await Promise.all(saves)
}

async function saveOne(
  client: ModelRun,
  produced: ProducedOutput,
  { folder, name, signal }: SavePlan & { name: string },
): Promise<string> {
  for (let copy = 1; ; copy++) {
    const chosen = copy === 1 ? name : withSuffix(name, `-${copy}`)
    try {
      const [path = ''] = await client.files.save(produced, folder, { name: () => chosen, signal })
      return path
    } catch (error) {
      // The client replaces no file that has other content.
      if (copy >= MOST_NAMES || !isNameTaken(error)) throw error
    }
  }
}

function isNameTaken(error: unknown): boolean {
  return error instanceof Error && /with other content/.test(error.message)
}

/** Names of an output with several items differ, also where the template has no `{index}`. */
function namesOf({ output }: ProducedOutput, { template, values }: SavePlan): string[] {
  const names = output.items.map((_, index) => fillTemplate(template, { ...values, index }))
  const isAmbiguous = new Set(names.map((name) => name.toLowerCase())).size < names.length
  return isAmbiguous ? names.map((name, index) => withSuffix(name, `-${index}`)) : names
}

function withSuffix(name: string, suffix: string): string {
  const [extension = ''] = EXTENSION.exec(name) ?? []
  return name.slice(0, name.length - extension.length) + suffix + extension
}
