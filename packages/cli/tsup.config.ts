import { definePackage } from '../../scripts/tsup-package.ts'

export default definePackage({
  entry: [],
  command: 'src/main.ts',
  // One file is loaded much faster than many. Packages of this workspace stay outside: commands load those that they need.
  bundledInCommand: ['commander', /^csv-(parse|stringify)/, 'string-width'],
  sourcemap: false,
})
