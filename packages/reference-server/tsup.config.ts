import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/msw/index.ts', 'src/node/index.ts', 'src/node/cli.ts', 'src/vitest/index.ts'],
  format: 'esm',
  target: 'es2023',
  dts: true,
  // The code is not minified, and maps would be half of what is installed of this package.
  sourcemap: false,
  clean: true,
})
