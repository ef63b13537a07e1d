import { definePackage } from '../../scripts/tsup-package.ts'

export default definePackage({ entry: ['src/index.ts', 'src/fixtures.ts', 'src/openapi.ts'], sourcemap: true })
