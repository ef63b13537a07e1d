import { definePackage } from '../../scripts/tsup-package.ts'

export default definePackage({
  entry: ['src/index.ts', 'src/msw/index.ts', 'src/node/index.ts', 'src/vitest/index.ts'],
  esmEntry: ['src/node/cli.ts'],
  bundledInCommonJs: ['fast-png'],
  // The code is not minified, and maps would be half of what is installed of this package.
  sourcemap: false,
})
