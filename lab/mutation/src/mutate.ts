import { statSync } from 'node:fs'
import type { LogLevel, MutantResult, PartialStrykerOptions } from '@stryker-mutator/api/core'
import { Stryker } from '@stryker-mutator/core'
import { judges } from './judges.ts'

/** How a file or folder is mutated. */
export interface MutateOptions {
  /** Keeps what an earlier run found of code and tests that did not change since. */
  again: boolean
}

/** Mutates one file or folder, in a copy. @returns Every mutant, and its outcome */
export function mutate(target: string, { again }: MutateOptions): Promise<MutantResult[]> {
  // For vitest.config.ts, which other processes read.
  process.env.MUTATION_TESTS = judges(target).join(' ')
  const options: PartialStrykerOptions & { vitest: object } = {
    mutate: statSync(target).isDirectory() ? [`${target}/**/*.ts`, '!**/*.test.ts', '!**/*.test-d.ts'] : [target],
    plugins: ['@stryker-mutator/vitest-runner', new URL('stryker-plugins.ts', import.meta.url).href],
    ignorers: ['texts-for-people'],
    testRunner: 'vitest',
    vitest: { configFile: 'lab/mutation/vitest.config.ts' },
    coverageAnalysis: 'perTest',
    concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 1),
    // For a loop that passes through no mutant; the others are found by the number of their rounds.
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 15,
    incremental: true,
    force: !again,
    incrementalFile: `lab/mutation/.stryker/${target.replaceAll('/', '-')}.json`,
    tempDirName: 'lab/mutation/.stryker/sandboxes',
    cleanTempDir: 'always',
    ignorePatterns: ['lab/bench', 'lab/consumers', 'lab/runtimes', 'examples', 'docs', '**/dist', '**/.stryker'],
    reporters: ['progress-append-only', 'survivors'],
    // The enumeration of the type has this value.
    logLevel: 'warn' as LogLevel,
  }
  return new Stryker(options).runMutationTest()
}
