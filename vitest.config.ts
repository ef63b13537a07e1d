import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// The private export condition lets tests run on the sources: no build is needed before `npm test`.
// Without `import` and `module`: Node gets these too, and would take them for what `require` asks for.
const conditions = ['@modelrun/source', 'node']

const NEVER = ['**/node_modules/**']
const OTHER_TIERS = ['**/*.{system,nightly}.test.ts']
/** Files that change the process, or start others. */
const OWN_PROCESS = ['packages/{cli,integration-tests}/{src,test}/**/*.test.ts']

/** Tests with processes, databases and browsers wait for most of their time, so more of them fit than there are cores. */
const WAITING = {
  maxWorkers: 2 * navigator.hardwareConcurrency,
  // Projects with other numbers of workers run one after the other.
  sequence: { groupOrder: 1 },
}

/** The longest files of all tests, longest first: one that starts last leaves the other cores idle. */
const LONGEST = [
  'integration-tests/src/packed-packages.system.test.ts',
  'integration-tests/src/documents.system.test.ts',
  'integration-tests/src/durable/postgres-engine.system.test.ts',
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
    // These end what hangs. No test is decided by them, however busy the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 100_000 } },
    // The default leaves a core to the user: on CI's two cores that is half of the time.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    setupFiles: ['packages/kit/test/same-properties.ts', 'packages/kit/test/put-back.ts'],
    projects: [
      // `npm test`: each unit, and each promise once on the wire.
      {
        extends: true,
        test: {
          name: 'units',
          include: ['packages/*/{src,test}/**/*.test.ts'],
          exclude: [...NEVER, ...OTHER_TIERS, ...OWN_PROCESS],
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
      { extends: true, test: { name: 'wire', include: OWN_PROCESS, exclude: [...NEVER, ...OTHER_TIERS] } },
      // `npm run test:system`: each promise on a real part: databases, a browser, packed packages, the blocks of the guides.
      {
        extends: true,
        test: { name: 'system', include: ['packages/**/*.system.test.ts'], exclude: NEVER, ...WAITING },
      },
      // `npm run test:nightly`: the lab, more browsers, frameworks and processes, generated inputs, images.
      {
        extends: true,
        test: {
          name: 'nightly',
          include: [
            'packages/**/*.nightly.test.ts',
            'packages/integration-tests/src/packed-packages.system.test.ts',
            'lab/{chaos,legal-services,matrix,mutants,networks,promises}/**/*.test.ts',
          ],
          exclude: NEVER,
          ...WAITING,
        },
      },
    ],
  },
})
