import { basename, dirname } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const conditions = ['@modelrun/source', 'node']

/** The test files that noticed a mutant of a source file. */
const killers = new Map<string, Set<string>>()
let mutated = ''

// What probably notices the mutant comes first, and then what is quick: the first test that fails ends the run.
class ProbableFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const results = (file: TestSpecification) => this.ctx.cache.getTestSpecificationResult(file)
    for (const { moduleId } of files.filter((file) => results(file)?.failed)) killers.get(mutated)?.add(moduleId)
    mutated = String(this.ctx.config.related?.[0])
    if (!killers.has(mutated)) killers.set(mutated, new Set())
    const rank = (file: TestSpecification) => {
      if (killers.get(mutated)?.has(file.moduleId)) return 0
      if (basename(file.moduleId, '.test.ts') === basename(mutated, '.ts')) return 1
      return dirname(file.moduleId) === dirname(mutated) ? 2 : 3
    }
    const duration = (file: TestSpecification) => results(file)?.duration ?? 0
    return files.toSorted((a, b) => rank(a) - rank(b) || duration(a) - duration(b))
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split(' '),
    // One worker loads every module once for a mutant. No test of ours leaves anything behind in a module.
    isolate: false,
    setupFiles: ['packages/kit/test/same-properties.ts', 'packages/kit/test/put-back.ts'],
    sequence: { sequencer: ProbableFirst },
    runner: 'lab/mutation/idle-runner.ts',
    // The runner above ends what hangs.
    testTimeout: 600_000,
  },
})
