import { definePackage } from '../../scripts/tsup-package.ts'

export default definePackage({
  entry: ['src/index.ts', 'src/node/index.ts'],
  esmEntry: ['src/node/cli.ts'],
  bundled: ['commander'],
  sourcemap: true,
})
