// What is checked: each case is a user's project, in a folder of its own, and a command that must succeed.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exampleCases } from './example-cases.mjs'
import { readGuideFiles } from './guide-files.mjs'
import { projectCases } from './project-cases.mjs'
import { tsconfig, typescriptCases } from './typescript-cases.mjs'

const folder = join(import.meta.dirname, 'programs')
const programs = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
programs['job.mts'] = programs['job.ts']

function pick(files, pattern) {
  return Object.fromEntries(Object.entries(files).filter(([name]) => pattern.test(name)))
}

const guide = readGuideFiles('docs/guides/jest-and-commonjs.md')
const typed = { ...pick(guide, /\.test\.ts$/), 'job.ts': programs['job.ts'], 'job.test.ts': programs['jest.test.ts'] }

/** The projects of the guide; those of TypeScript do the job too. */
const jestProjects = {
  'ts-jest': { ...pick(guide, /^jest\.config\.js$|^tsconfig\.json$/), ...typed },
  'babel-jest': { ...pick(guide, /^babel\.config\.js$/), ...typed },
  'plain JavaScript': pick(guide, /\.test\.js$/),
}

function jestCases(version) {
  return Object.entries(jestProjects).map(([name, files]) => ({
    name: `Jest ${version}: ${name}`,
    workspace: `jest-${version}`,
    // A root of its own: Jest looks for a configuration in the folders above.
    files: { 'package.json': '{}', ...files },
    tool: { package: 'jest', bin: 'bin/jest.js' },
    args: ['--rootDir', '.'],
    isQuick: version === 30 && name === 'ts-jest',
  }))
}

function vitestCase(version) {
  return {
    name: `vitest ${version}`,
    workspace: `vitest-${version}`,
    files: {
      'job.ts': programs['job.ts'],
      'job.test.ts': programs['vitest.test.ts'],
      'vitest.config.js': 'export default {}',
    },
    // The fixture imports vitest: it must meet the one of the project.
    ownPackages: ['@modelrun/reference-server'],
    tool: { package: 'vitest', bin: 'vitest.mjs' },
    args: ['run', '--root', '.'],
  }
}

const nodeCases = [
  {
    name: 'Node: CommonJS made by TypeScript',
    workspace: 'typescript',
    files: {
      ...pick(programs, /^job\.ts$|^commonjs\.test\.cjs$/),
      'tsconfig.json': tsconfig({ module: 'commonjs' }, ['job.ts']),
    },
    prepare: { tool: { package: 'typescript-7', bin: 'bin/tsc' }, args: [] },
    args: ['--test'],
  },
  {
    name: 'Node: ES modules',
    workspace: 'typescript',
    files: pick(programs, /^job\.mts$|^esm\.test\.mjs$/),
    args: ['--test'],
  },
  {
    name: 'Node: both in one program',
    workspace: 'typescript',
    files: pick(programs, /^mixed/),
    args: ['--test'],
    isQuick: true,
  },
]

const playwrightCase = {
  name: 'Playwright test',
  workspace: 'playwright',
  files: { 'job.ts': programs['job.ts'], 'job.spec.ts': programs['playwright.spec.ts'] },
  tool: { package: '@playwright/test', bin: 'cli.js' },
  args: ['test', '--output', 'results'],
}

const openapiCase = {
  name: 'OpenAPI: Spectral, openapi-typescript, hey-api, orval',
  workspace: 'openapi',
  files: {
    ...pick(programs, /^openapi\./),
    'tsconfig.json': tsconfig({ module: 'esnext', moduleResolution: 'bundler', noEmit: true, types: [] }, [
      'openapi.ts',
    ]),
  },
  prepare: { args: ['openapi.mjs'] },
  tool: { package: 'typescript-5.9', bin: 'bin/tsc' },
  args: [],
}

export const cases = [
  ...nodeCases,
  ...typescriptCases(programs),
  ...[29, 30].flatMap(jestCases),
  ...[3, 4, 5].map(vitestCase),
  playwrightCase,
  openapiCase,
  ...projectCases,
  ...exampleCases,
]
