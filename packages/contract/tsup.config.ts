import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/fixtures.ts', 'src/openapi.ts'],
  format: 'esm',
  target: 'es2023',
  dts: true,
  sourcemap: true,
  clean: true,
})
