const commonjs = ['job.ts']
const both = ['job.ts', 'job.mts']
const page = { module: 'esnext', moduleResolution: 'bundler', types: [] }

/** Settings of users' projects, with the programs that they suit. */
const settings = {
  'commonjs, node10': {
    options: { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true },
    files: commonjs,
  },
  // The compilers before 6 take this for node10.
  commonjs: { options: { module: 'commonjs' }, files: commonjs, since: 6 },
  node16: { options: { module: 'node16' }, files: both },
  nodenext: { options: { module: 'nodenext' }, files: both },
  'esnext, bundler': { options: { module: 'esnext', moduleResolution: 'bundler' }, files: commonjs },
  preserve: { options: { module: 'preserve' }, files: commonjs },
  'no DOM, lib es2022': { options: { module: 'nodenext', lib: ['es2022'] }, files: both },
  'no DOM, lib es2023': { options: { module: 'nodenext', lib: ['es2023'] }, files: both },
  'page, lib es2022': { options: { ...page, lib: ['es2022', 'dom'] }, files: ['page.ts'] },
  'page, lib es2023': { options: { ...page, lib: ['es2023', 'dom'] }, files: ['page.ts'] },
}

/** What a compiler says of a setting that it no longer has. */
const rejections = { '7: commonjs, node10': /TS5108: Option 'moduleResolution=node10' has been removed/ }

export function tsconfig(options, files) {
  const compilerOptions = { target: 'es2022', strict: true, skipLibCheck: false, types: ['node'], ...options }
  return JSON.stringify({ compilerOptions, files }, null, 2)
}

export function typescriptCases(programs) {
  return ['5.5', '5.9', '6', '7'].flatMap((version) =>
    Object.entries(settings)
      .filter(([, { since = 0 }]) => Number(version) >= since)
      .map(([name, { options, files }]) => {
        // 6 wants to hear that its user knows of the end of node10.
        const ending = version === '6' && options.moduleResolution === 'node10' ? { ignoreDeprecations: '6.0' } : {}
        return {
          name: `TypeScript ${version}: ${name}`,
          workspace: 'typescript',
          files: {
            ...Object.fromEntries(files.map((file) => [file, programs[file]])),
            'tsconfig.json': tsconfig({ noEmit: true, ...ending, ...options }, files),
          },
          tool: { package: `typescript-${version}`, bin: 'bin/tsc' },
          args: [],
          rejection: rejections[`${version}: ${name}`],
          isQuick: ['5.5', '7'].includes(version) && name === 'nodenext',
        }
      }),
  )
}
