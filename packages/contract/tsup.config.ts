import { definePackage } from '../../scripts/tsup-package.ts'

export default definePackage({
  entry: ['src/index.ts', 'src/assumptions.ts', 'src/fixtures.ts', 'src/openapi.ts'],
  // The code is not minified, and is mostly data: maps would be a third of the package.
  sourcemap: false,
})
