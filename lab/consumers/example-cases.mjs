// The examples, each with its own tests, as a user has them who copied the folder.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../examples')
/** Their tools are those of three projects. */
const tools = {
  'vitest-5': { tool: { package: 'vitest', bin: 'vitest.mjs' }, args: ['run', '--root', '.'] },
  'jest-30': { tool: { package: 'jest', bin: 'bin/jest.js' }, args: ['--rootDir', '.'] },
  playwright: { tool: { package: '@playwright/test', bin: 'cli.js' }, args: ['test'], needsBrowser: true },
}

const testing = Object.entries(tools).map(([workspace, rest]) => ({
  name: `example testing: ${workspace}`,
  workspace,
  files: { 'package.json': '{}' },
  copied: join(folder, 'testing'),
  // The fixture imports vitest: it must meet the one of the project.
  ownPackages: workspace === 'vitest-5' ? ['@modelrun/reference-server'] : [],
  ...rest,
}))

const python = {
  name: 'example python',
  workspace: 'examples',
  copied: join(folder, 'python'),
  command: 'python3',
  args: ['-m', 'unittest'],
}

/** The recipes in `engines` are run by `lab/engines`. With `DATABASE_URL`, `REDIS_URL` and a browser; without them, the tests that need them say so and are left out. */
const others = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['engines', 'testing', 'python'].includes(entry.name))
  .map(({ name }) => ({
    name: `example ${name}`,
    workspace: 'examples',
    copied: join(folder, name),
    needsBrowser: name === 'msw-browser',
    args: ['--test'],
  }))

export const exampleCases = [...testing, python, ...others]
