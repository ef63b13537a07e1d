import { definePackage } from '../../scripts/tsup-package.ts'

export default definePackage({
  entry: ['src/index.ts', 'src/msw/index.ts', 'src/node/index.ts', 'src/vitest/index.ts'],
  // With what it needs, the package is 1 MB that is not used.
  bundled: ['fast-png'],
  command: 'src/node/cli.ts',
  // Of the contract not its document, which few ask for.
  bundledInCommand: ['@hono/node-server', /^@modelrun\/contract$/, 'fast-png', 'hono', 'ipaddr.js', 'pure-rand', 'zod'],
  // The code is not minified, and maps would be half of what is installed of this package.
  sourcemap: false,
})
