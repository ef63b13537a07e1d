import { statSync } from 'node:fs'
import { Stryker } from '@stryker-mutator/core'
import { judges } from './judges.ts'

type Mutants = Awaited<ReturnType<Stryker['runMutationTest']>>

// Mutates one file or folder. `again` keeps what an earlier run found of code and tests that did not change since.
export function mutate(target: string, { again }: { again: boolean }): Promise<Mutants> {
  process.env.MUTATION_TARGET = target
  process.env.MUTATION_TESTS = judges(target).join(' ')
  return new Stryker({
    mutate: statSync(target).isDirectory() ? [`${target}/**/*.ts`, '!**/*.test.ts', '!**/*.test-d.ts'] : [target],
    plugins: ['@stryker-mutator/vitest-runner', new URL('texts-for-people.ts', import.meta.url).href],
    ignorers: ['texts for people'],
    testRunner: 'vitest',
    vitest: { configFile: 'mutation/vitest.config.ts', related: true },
    coverageAnalysis: 'perTest',
    concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 1),
    // For a loop that passes through no mutant; the others are found by the number of their rounds.
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 15,
    incremental: true,
    force: !again,
    incrementalFile: `mutation/.stryker/${target.replaceAll('/', '-')}.json`,
    tempDirName: 'mutation/.stryker/sandboxes',
    ignorePatterns: ['bench', 'consumers', 'runtimes', 'examples', 'docs', '**/dist', '**/.stryker'],
    reporters: ['progress-append-only'],
    checkers: [],
    allowEmpty: true,
    cleanTempDir: 'always',
    // Stryker would tell of itself in package.json files and look for a newer version of them.
    warnings: false,
    logLevel: 'warn',
  } as never).runMutationTest()
}
