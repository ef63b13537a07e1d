import { definePackage } from '../../scripts/tsup-package.ts'

export default definePackage({
  entry: ['src/index.ts', 'src/{bullmq,durable-object,postgres,sqlite}/*-engine.ts', 'src/marks/marks.ts'],
  sourcemap: true,
})
