// Whole projects of users, one a folder of `projects`, and the programs of the documents.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFirstBlock, readGuideFiles, readQuickstart } from './guide-files.mjs'
import { tsconfig } from './typescript-cases.mjs'

const compiler = { package: 'typescript-7', bin: 'bin/tsc' }
const controlGuide = 'docs/guides/control-api.md'

const pageOptions = {
  module: 'esnext',
  moduleResolution: 'bundler',
  jsx: 'react-jsx',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  noEmit: true,
}

function readProject(name) {
  const folder = join(import.meta.dirname, 'projects', name)
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
}

const express = {
  name: 'Express 5: a route, an inbox, a proxy',
  workspace: 'express',
  files: { ...readProject('express'), 'tsconfig.json': tsconfig({ module: 'nodenext' }, ['app.ts']) },
  prepare: { tool: compiler, args: [] },
  args: ['--test'],
  isQuick: true,
}

const stripping = { module: 'nodenext', noEmit: true, erasableSyntaxOnly: true, verbatimModuleSyntax: true }
const plainTypescript = {
  name: 'Node: node app.ts',
  workspace: 'typescript',
  files: {
    ...readProject('plain-typescript'),
    'package.json': '{ "type": "module" }',
    'tsconfig.json': tsconfig(stripping, ['app.ts']),
  },
  prepare: { tool: compiler, args: [] },
  args: ['app.ts'],
}

/** What a new user copies first, from the repository and from npm: JavaScript as it stands. */
const readmes = {
  'the repository': 'README.md',
  modelrun: 'lab/consumers/node_modules/modelrun/README.md',
  '@modelrun/reference-server': 'lab/consumers/node_modules/@modelrun/reference-server/README.md',
}
const quickstarts = Object.entries(readmes).map(([name, document]) => {
  const program = readQuickstart(document)
  return {
    name: `Node: the quickstart in the README of ${name}`,
    workspace: 'typescript',
    // As `npm init -y` makes it.
    files: { 'package.json': '{ "type": "commonjs" }', [program.name]: program.text },
    args: [program.name],
  }
})

const python = {
  name: 'Python: the command line server',
  workspace: 'typescript',
  files: { ...readGuideFiles(controlGuide), ...readProject('python') },
  command: 'python3',
  args: ['-m', 'unittest', 'test_images.py', 'test_service.py'],
}

const pythonGuide = {
  name: 'Python: the program of the guide',
  workspace: 'typescript',
  files: { 'program.py': readFirstBlock(controlGuide, 'python') },
  command: 'python3',
  args: ['program.py'],
}

const viteReact = (version, workspace) => ({
  name: `Vite and React ${version}: a page in a browser`,
  workspace,
  files: { ...readProject('vite-react'), 'tsconfig.json': tsconfig(pageOptions, ['main.tsx']) },
  prepare: { tool: compiler, args: [] },
  // Beside the React of the workspace, which is not the one of the other projects.
  ownPackages: ['modelrun'],
  needsBrowser: true,
  args: ['--test'],
})

export const projectCases = [
  express,
  plainTypescript,
  ...quickstarts,
  python,
  pythonGuide,
  viteReact(19, 'vite-react'),
  viteReact(18, 'vite-react-18'),
]
