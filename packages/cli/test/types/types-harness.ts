import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CatalogModel, createReferenceServer, DEFAULT_CATALOG } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import { folderForTest } from '../../../kit/test/temp-folder.ts'
import { UsageError } from '../../src/errors.ts'
import { runTypes, type TypesOptions } from '../../src/types/run-types.ts'

/** The file of a project, a service with a catalog, and `modelrun types` between them. */
export interface TypesHarness {
  catalog: CatalogModel[]
  /** The text of the file; empty when there is none. */
  text: string
  /** Runs the command, and gives what it did. */
  run(options?: Partial<TypesOptions> & { ids?: string[] }): Promise<{ code: number; stdout: string; stderr: string }>
}

/** A harness with the models of the default catalog, and no file. */
export function createTypesHarness(): TypesHarness {
  const folder = folderForTest()
  const path = join(folder, 'modelrun.models.d.ts')
  const harness: TypesHarness = {
    catalog: structuredClone(DEFAULT_CATALOG) as CatalogModel[],
    get text() {
      return readFileSync(path, { encoding: 'utf8', flag: 'a+' })
    },
    set text(text) {
      writeFileSync(path, text)
    },
    run: async ({ ids = [], ...options } = {}) => {
      const server = createReferenceServer({ clock: 'auto', catalog: harness.catalog })
      const printed = { stdout: '', stderr: '' }
      const append = (stream: 'stdout' | 'stderr', line: unknown) => {
        printed[stream] += `${line}\n`.replaceAll(`${folder}/`, '')
      }
      const terminal = {
        print: (line: unknown) => append('stdout', line),
        say: (line: unknown) => append('stderr', line),
      }
      const client = new ModelRun(server.clientOptions())
      const code = await runTypes(ids, { out: path, ...options }, { client, terminal }).catch((error: unknown) => {
        if (!(error instanceof UsageError)) throw error
        terminal.say(error.message)
        return error.exitCode
      })
      return { code, ...printed }
    },
  }
  return harness
}

/** The file of types of two models. */
export async function writeTypes(options = {}): Promise<string> {
  const harness = createTypesHarness()
  await harness.run({ ids: ['aurora-image', 'kinora/reel-pro'], ...options })
  return harness.text
}
