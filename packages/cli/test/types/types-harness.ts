import { type CatalogModel, createReferenceServer, DEFAULT_CATALOG } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import type { Source } from '../../src/types/find-ids.ts'
import { runTypes } from '../../src/types/run-types.ts'
import type { TypesOptions } from '../../src/types/types-options.ts'

/** A program in memory, a service with a catalog, and `modelrun types` between them. */
export interface TypesHarness {
  catalog: CatalogModel[]
  /** The program, by path. */
  sources: Record<string, string>
  /** The files that were written or are there, by path. */
  files: Map<string, string>
  /** How often a file was written. */
  writes: number
  /** Runs the command, and gives what it did. */
  run(options?: Partial<TypesOptions>): Promise<{ code: number; stdout: string; stderr: string }>
}

/** A harness with the models of the default catalog, and no sources. */
export function createTypesHarness(): TypesHarness {
  const harness: TypesHarness = {
    catalog: structuredClone(DEFAULT_CATALOG) as CatalogModel[],
    sources: {},
    files: new Map(),
    writes: 0,
    run: async (options = {}) => {
      const server = createReferenceServer({ clock: 'auto', catalog: harness.catalog })
      const printed = { stdout: '', stderr: '' }
      const code = await runTypes(
        { ids: [], all: false, out: undefined, check: false, json: false, open: false, ...options },
        {
          client: new ModelRun(server.clientOptions()),
          readSources: () => Object.entries(harness.sources).map(([path, text]): Source => ({ path, text })),
          readFile: async (path) => harness.files.get(path),
          write: async (path, text) => {
            harness.files.set(path, text)
            harness.writes += 1
          },
          stdout: (text) => {
            printed.stdout += text
          },
          stderr: (text) => {
            printed.stderr += text
          },
        },
      )
      return { code, ...printed }
    },
  }
  return harness
}
