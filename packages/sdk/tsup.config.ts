import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/webhooks/index.ts'],
  format: 'esm',
  target: 'es2023',
  dts: true,
  sourcemap: true,
  clean: true,
})
