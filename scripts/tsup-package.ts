import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineConfig, type Options } from 'tsup'

type Plugin = NonNullable<Options['plugins']>[number]

/** How a package is built: as ES modules, as CommonJS, and with the types of both. */
export interface PackageBuild {
  /** What users import. Nothing of a package that is a command. */
  entry: string[]
  /** What only ES modules have, e.g. the file behind a command. */
  esmEntry?: string[]
  /** Packages that become part of the files of both builds. */
  bundled?: (string | RegExp)[]
  /** Packages that have ES modules only: they become part of the CommonJS files. */
  bundledInCommonJs?: (string | RegExp)[]
  /** The file behind a command that starts fast: its ES modules share no file with those that users import. */
  command?: string
  /** Packages that become part of the command: one file is loaded much faster than a hundred. */
  bundledInCommand?: (string | RegExp)[]
  /** Whether the ES modules have source maps. The CommonJS files have none: they would double the package. */
  sourcemap: boolean
}

/** What bundled packages import, by what takes its place. Paths are below the folder of a package. */
const replacedInBundles = {
  // Its file for Node loads worker threads, which are not used.
  fflate: 'fflate/browser',
  debug: resolve('../../scripts/silent-debug.mjs'),
}

/** esbuild calls a class that names itself `_X`, and `console.log` would print that. The space keeps source maps right. */
const ownNames: Plugin = {
  name: 'own-names',
  renderChunk: (code) => {
    const renamed = Array.from(code.matchAll(/\bvar (\w+) ?= ?class _\1\b/g), ([, name]) => name)
    const replace = (text: string, name = '') => text.replaceAll(new RegExp(`\\b_${name}\\b`, 'g'), ` ${name}`)
    return { code: renamed.reduce(replace, code) }
  },
}

/** `import('…')` becomes `require`: in the scripts that Jest runs, `import()` fails without a flag of Node. */
const requireForImport: Plugin = {
  name: 'require-for-import',
  renderChunk: (code) => ({
    code: code.replaceAll(/\bimport\(("[^"]+")\)/g, 'Promise.resolve().then(() => require($1))'),
  }),
}

// Not tsup's `clean`: the builds run at the same time, and each would clean what the others wrote.
const common: Options = { target: 'es2023', clean: false, sourcemap: false }

function commandBuild(entry: string, noExternal: (string | RegExp)[]): Options {
  return {
    ...common,
    name: 'command',
    entry: [entry],
    outDir: 'dist/command',
    format: 'esm',
    noExternal,
    plugins: [ownNames],
    esbuildOptions: (options) => {
      options.alias = replacedInBundles
      // Half a megabyte of libraries is read at each start.
      options.minifyWhitespace = true
      options.minifySyntax = true
    },
  }
}

export function definePackage(build: PackageBuild) {
  const { entry, esmEntry = [], bundled = [], bundledInCommonJs = [], sourcemap } = build
  const { command, bundledInCommand = [] } = build
  rmSync('dist', { recursive: true, force: true })
  const commandBuilds = command === undefined ? [] : [commandBuild(command, bundledInCommand)]
  if (entry.length === 0) return defineConfig(commandBuilds)
  return defineConfig([
    {
      ...common,
      name: 'esm',
      entry: [...entry, ...esmEntry],
      format: 'esm',
      noExternal: bundled,
      plugins: [ownNames],
      sourcemap,
      esbuildOptions: (options) => {
        options.alias = replacedInBundles
      },
    },
    {
      ...common,
      name: 'cjs',
      entry,
      format: 'cjs',
      noExternal: [...bundled, ...bundledInCommonJs],
      // Entries share chunks, and so the error classes. Rollup writes them as CommonJS; tsup's other way for chunks
      // would also write classes and `?.` in the syntax of 2015.
      splitting: true,
      treeshake: true,
      plugins: [ownNames, requireForImport],
      esbuildOptions: (options) => {
        options.alias = replacedInBundles
      },
    },
    ...commandBuilds,
    // Those of CommonJS are written from them (finish-types.mjs). The kit is not published: its types become part of
    // the files that show them.
    {
      ...common,
      name: 'types',
      entry,
      format: 'esm',
      dts: { only: true, resolve: [/^@modelrun\/kit$/, /^\.\//] },
    },
  ])
}
