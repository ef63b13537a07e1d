// Adds to the built types of the package in the current folder what the bundler of types leaves out.
import { globSync, readFileSync, writeFileSync } from 'node:fs'

/** Has ES modules only. The types of the CommonJS files may name it, when they say how it is found. */
const ESM_ONLY = /^import \{ (.*) \} from '(ky)';$/gm

/** `Symbol.dispose` is younger than the `lib` of many projects. */
const DISPOSABLE = '/// <reference lib="esnext.disposable" />\n'

for (const path of globSync('dist/**/*.d.{ts,cts}')) {
  const found = readFileSync(path, 'utf8')
  const isCommonJs = path.endsWith('.cts')
  const types = isCommonJs
    ? found.replace(ESM_ONLY, "import type { $1 } from '$2' with { 'resolution-mode': 'import' };")
    : found
  const finished = /\[Symbol\.(dispose|asyncDispose)\]/.test(types) ? DISPOSABLE + types : types
  if (finished !== found) writeFileSync(path, finished)
}
