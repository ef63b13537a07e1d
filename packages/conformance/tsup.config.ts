import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/node/index.ts', 'src/node/cli.ts'],
  format: 'esm',
  target: 'es2023',
  dts: true,
  sourcemap: true,
  clean: true,
})
