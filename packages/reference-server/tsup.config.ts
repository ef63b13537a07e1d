import { definePackage } from '../../scripts/tsup-package.ts'

export default definePackage({
  entry: ['src/index.ts', 'src/msw/index.ts', 'src/node/index.ts', 'src/vitest/index.ts'],
  // The package and what it needs are 1 MB that is not used.
  bundled: ['fast-png'],
  command: 'src/node/cli.ts',
  // Without the document of the contract, which is loaded on demand.
  bundledInCommand: [/^@modelrun\/contract(\/assumptions)?$/, 'commander', 'fast-png', 'ipaddr.js', 'pure-rand', 'zod'],
  // The code is not minified, and maps would be half of what is installed of this package.
  sourcemap: false,
})
