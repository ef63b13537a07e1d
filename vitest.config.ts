import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// The private export condition lets tests run on the sources: no build is needed before `npm test`.
// Without `import` and `module`: Node gets these too, and would take them for what `require` asks for.
const conditions = ['@modelrun/source', 'node']

/** The longest files, longest first. One that starts last leaves the other cores idle; without a cache, as in CI, vitest goes by size. */
const LONGEST = [
  'integration-tests/src/packed-packages.test.ts',
  'integration-tests/src/chaos/chaos-postgres.test.ts',
  'integration-tests/src/durable/dying-processes.test.ts',
  'integration-tests/src/explore-inbox.test.ts',
  'integration-tests/src/documents.test.ts',
  'integration-tests/src/chaos/chaos-bullmq.test.ts',
  'cli/src/batch/batch.test.ts',
  'integration-tests/src/durable/inbox-processes.test.ts',
  'integration-tests/src/chaos/chaos-sqlite.test.ts',
  'conformance/src/profile.test.ts',
  'conformance/src/legal-services.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex((file) => moduleId.endsWith(`/packages/${file}`))
      return rank === -1 ? LONGEST.length : rank
    }
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    testTimeout: 15_000,
    // A poll waits for processes on a busy machine. The default is one second.
    expect: { poll: { timeout: 10_000 } },
    // The default leaves a core to the user: on CI's two cores that is half of the time.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['packages/{cli,integration-tests}/{src,test}/**/*.test.ts', 'examples/*/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'units',
          include: ['packages/*/{src,test}/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'packages/{cli,integration-tests}/**'],
          // The sources keep no state in modules and tests restore what they replace, so files can share a process.
          // Loading the modules for each of 340 files would take half of the time.
          isolate: false,
          typecheck: {
            enabled: true,
            include: ['packages/*/src/**/*.test-d.ts'],
            tsconfig: './tsconfig.json',
            checker: './node_modules/typescript-7/bin/tsc',
          },
        },
      },
    ],
  },
})
