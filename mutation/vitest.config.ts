import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const conditions = ['@modelrun/source', 'node']
const target = (process.env.MUTATION_TARGET ?? '').replace(/\.ts$/, '')

// The tests beside the code first: they find most, and the first that fails ends the run.
class NearFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isFar = ({ moduleId }: TestSpecification) => Number(!moduleId.includes(target))
    return [...files].sort((a, b) => isFar(a) - isFar(b))
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split(' '),
    // One worker loads every module once for a mutant. No test of ours leaves anything behind in a module.
    isolate: false,
    sequence: { sequencer: NearFirst },
    testTimeout: 5_000,
  },
})
