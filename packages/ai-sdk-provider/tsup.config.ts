import { definePackage } from '../../scripts/tsup-package.ts'

export default definePackage({ entry: ['src/index.ts'], sourcemap: true })
