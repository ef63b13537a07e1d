import { accessSync, constants } from 'node:fs'
import { memberOf } from '@modelrun/kit'
import type { ModelRun, ProducedOutput } from 'modelrun'
import { messageOf, UsageError } from '../errors.ts'
import { DEFAULT_TEMPLATE } from '../options.ts'
import { makeFolder } from './private-files.ts'

/** What a template can name. Rows and keys exist in a batch. */
interface TemplateValues {
  model: string
  job_id: string
  index: number
  row?: string | undefined
  key?: string | undefined
}

/** Names of files on every system: a service and a table of inputs can hold anything. */
const UNSAFE = /[^\p{L}\p{N}._ ()-]+/gu
const LONGEST_PART = 80

/** What the client takes for the extension of a name. */
const EXTENSION = /\.[a-z]\w{0,9}$/i

/** @throws UsageError when a template cannot name files. Called before a run is paid */
export function checkTemplate(template: string, known: readonly string[]): void {
  const problem = templateProblem(template, known)
  if (problem !== undefined) throw new UsageError(`--name ${template}${problem}`)
}

function templateProblem(template: string, known: readonly string[]): string | undefined {
  if (/[/\\:\p{Cc}]/u.test(template)) return ' must be a file name: no slashes and colons. --out names the folder.'
  const names = Array.from(template.matchAll(/\{([^{}]*)\}/g), ([, name = '']) => name)
  const wrong = names.find((name) => name !== 'ext' && !known.includes(name))
  if (wrong !== undefined)
    return `: there is no {${wrong}}. It can have ${known.map((one) => `{${one}}`).join(' ')} {ext}.`
  if (names.includes('ext') && !/^(?!.*\{ext\}.*\{ext\}).*\.\{ext\}$/.test(template)) {
    return `: {ext} stands at the end, once, as in ${DEFAULT_TEMPLATE}.`
  }
  return template.replace(/\.?\{ext\}$/, '') === '' ? ' has no name before {ext}.' : undefined
}

/** A name without its extension, which comes with the file. It never leads out of its folder. */
export function fillTemplate(template: string, values: TemplateValues): string {
  const filled = template.replace(/\.\{ext\}$/, '').replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const text = String(memberOf(values, name) ?? '')
    return text.normalize('NFC').replace(UNSAFE, '-').slice(0, LONGEST_PART)
  })
  const plain = /^\.*$/.test(filled) ? `_${filled}` : filled.replace(/^[.-]/, '_')
  // A model called `flux.dev` is not a file of the type dev.
  return template.endsWith('.{ext}') ? plain.replace(EXTENSION, (end) => end.replace('.', '_')) : plain
}

/** Creates the folder, and checks that files can be written there. Called before a run is paid. @throws UsageError */
export function prepareFolder(
  folder: string,
  { mode, option = '--out' }: { mode?: number; option?: string } = {},
): void {
  try {
    makeFolder(folder, mode)
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw new UsageError(
      `Files cannot be saved in ${folder}: ${messageOf(error)}. Choose another folder with ${option}.`,
    )
  }
}

/** Where a file goes when its name is taken: so many names are tried. */
const MOST_NAMES = 1_000

/** Where and how files are named. */
interface SavePlan {
  folder: string
  template: string
  values: Omit<TemplateValues, 'index'>
  signal?: AbortSignal | undefined
}

/** Saves every file of an output. A file that exists with other content stays: the new one gets another name. */
export async function saveOutputs(client: ModelRun, produced: ProducedOutput, plan: SavePlan): Promise<string[]> {
  const names = fileNames(produced, plan)
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
      if (copy >= MOST_NAMES || !/with other content/.test(messageOf(error))) throw error
    }
  }
}

/** Names of an output with several items differ, also where the template has no `{index}`. */
function fileNames({ output }: ProducedOutput, { template, values }: SavePlan): string[] {
  const names = output.items.map((_, index) => fillTemplate(template, { ...values, index }))
  const isAmbiguous = new Set(names.map((name) => name.toLowerCase())).size < names.length
  return isAmbiguous ? names.map((name, index) => withSuffix(name, `-${index}`)) : names
}

function withSuffix(name: string, suffix: string): string {
  const [extension = ''] = EXTENSION.exec(name) ?? []
  return name.slice(0, name.length - extension.length) + suffix + extension
}
