// Makes the built types of the package in the current folder suit every compiler: those of CommonJS, what the bundler of
// types leaves out, and what older compilers do not know.
import { globSync, readFileSync, writeFileSync } from 'node:fs'

/** Has ES modules only. The types of the CommonJS files may name it, when they say how it is found. */
const ESM_ONLY = /^import \{ (.*) \} from '(ky)';$/gm
/** The bundler of types leaves it where the types of a module are in another file. */
const FOR_NOTHING = /^import 'ky';\n/gm

/** `Symbol.dispose` is younger than the `lib` of many projects. */
const DISPOSABLE = '/// <reference lib="esnext.disposable" />\n'

function finish(built, isCommonJs) {
  const types = built.replace(FOR_NOTHING, '')
  const resolved = isCommonJs
    ? types.replace(ESM_ONLY, "import type { $1 } from '$2' with { 'resolution-mode': 'import' };")
    : types
  // The same type under a name that compilers before 5.7 know too.
  const named = resolved.replaceAll('Uint8Array<ArrayBuffer>', 'ReturnType<typeof Uint8Array.of>')
  return /\[Symbol\.(dispose|asyncDispose)\]/.test(named) ? DISPOSABLE + named : named
}

/** The same types for CommonJS, which import those of CommonJS. */
const commonJsOf = (types) => types.replaceAll(/((?:from |import |import\()'\.[^']*)\.js'/g, "$1.cjs'")

for (const path of globSync('dist/**/*.d.ts')) {
  const types = readFileSync(path, 'utf8')
  writeFileSync(path, finish(types, false))
  writeFileSync(path.replace(/\.ts$/, '.cts'), finish(commonJsOf(types), true))
}
