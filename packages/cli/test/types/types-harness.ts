import { type CatalogModel, createReferenceServer, DEFAULT_CATALOG } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import { UsageError } from '../../src/errors.ts'
import { runTypes, type TypesOptions } from '../../src/types/run-types.ts'

/** Files in memory, a service with a catalog, and `modelrun types` between them. */
export interface TypesHarness {
  catalog: CatalogModel[]
  /** The files that were written or are there, by path. */
  files: Map<string, string>
  /** How often a file was written. */
  writes: number
  /** Runs the command, and gives what it did. */
  run(options?: TypesOptions & { ids?: string[] }): Promise<{ code: number; stdout: string; stderr: string }>
}

/** A harness with the models of the default catalog, and no files. */
export function createTypesHarness(): TypesHarness {
  const harness: TypesHarness = {
    catalog: structuredClone(DEFAULT_CATALOG) as CatalogModel[],
    files: new Map(),
    writes: 0,
    run: async ({ ids = [], ...options } = {}) => {
      const server = createReferenceServer({ clock: 'auto', catalog: harness.catalog })
      const printed = { stdout: '', stderr: '' }
      const io = {
        client: new ModelRun(server.clientOptions()),
        readFile: async (path: string) => harness.files.get(path),
        write: async (path: string, text: string) => {
          harness.files.set(path, text)
          harness.writes += 1
        },
        print: (line: string) => {
          printed.stdout += `${line}\n`
        },
        say: (line: string) => {
          printed.stderr += `${line}\n`
        },
      }
      const code = await runTypes(ids, options, io).catch((error: unknown) => {
        if (!(error instanceof UsageError)) throw error
        io.say(error.message)
        return error.exitCode
      })
      return { code, ...printed }
    },
  }
  return harness
}
