// What Electron adds to Node, around a CommonJS program: npm has no package with Electron itself. `browser` is what it
// calls its main process; a `renderer` with node integration is a page that has Node.
import { createRequire } from 'node:module'
import { compileFunction, constants } from 'node:vm'
import { bundle } from './bundle.mjs'

const [type] = process.argv.splice(2, 1)
const define = (target, values) => {
  for (const [name, value] of Object.entries(values)) Object.defineProperty(target, name, { value, configurable: true })
}

const code = await bundle('main.mjs', { format: 'cjs', platform: 'node', packages: 'external' })
define(process, { type, versions: { ...process.versions, electron: '40.0.0' } })
if (type === 'renderer') {
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/144.0.0.0 Electron/40.0.0 Safari/537.36'
  const location = { origin: 'file://', href: 'file:///app/index.html' }
  define(globalThis, { window: globalThis, document: {}, location, navigator: { userAgent } })
}
const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
compileFunction(code, ['require'], { importModuleDynamically })(createRequire(import.meta.url))
