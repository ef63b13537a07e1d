import { defineConfig } from 'tsup'

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/proxy/index.ts',
    'src/webhooks/index.ts',
    'src/webhooks/store/{sqlite,redis,postgres}-store.ts',
    'src/webhooks/testing/index.ts',
  ],
  format: 'esm',
  target: 'es2023',
  dts: true,
  sourcemap: true,
  clean: true,
  // What is used of them is a small part: loading it out of many files would take longer than everything else.
  noExternal: ['@modelrun/contract', /^zod\/mini$/],
})
