import { definePackage } from '../../scripts/tsup-package.ts'

export default definePackage({
  entry: [
    'src/index.ts',
    'src/models/index.ts',
    'src/otel/index.ts',
    'src/proxy/index.ts',
    'src/react/index.ts',
    'src/webhooks/index.ts',
    'src/webhooks/testing/index.ts',
  ],
  // What is used of them is a small part: loading it out of many files would take longer than everything else.
  bundled: ['@modelrun/contract', /^zod\/mini$/, 'ky'],
  bundledInCommonJs: ['file-type'],
  sourcemap: true,
})
