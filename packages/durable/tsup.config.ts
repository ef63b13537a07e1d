import { definePackage } from '../../scripts/tsup-package.ts'

export default definePackage({
  entry: [
    'src/index.ts',
    'src/{bullmq,postgres,sqlite}/*-engine.ts',
    'src/marks/marks.ts',
    'src/testing/engine-checks.ts',
  ],
  sourcemap: true,
})
