import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** A project of one version of Next.js. `first` names the file that handles requests before the routes do. */
export function findProject(version, first) {
  const folder = join(root, `next-${version}`, 'out', first)
  const manifest = createRequire(join(folder, 'x.js')).resolve('next/package.json')
  return {
    folder,
    version: JSON.parse(readFileSync(manifest, 'utf8')).version,
    next: join(dirname(manifest), 'dist/bin/next'),
  }
}

/** Creates the project again: its own files, the programs, and the files of two guides. */
export function createProject(version, first) {
  const { folder, ...project } = findProject(version, first)
  rmSync(folder, { recursive: true, force: true })
  cpSync(join(root, 'next'), folder, { recursive: true })
  cpSync(join(root, 'programs'), join(folder, 'programs'), { recursive: true })
  renameSync(join(folder, 'before-routes.js'), join(folder, `${first}.js`))
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  for (const [path, code] of guideFiles()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), code)
  }
  return { folder, ...project }
}

/** Every file of the guide for Next.js, and the route of the one for browsers. */
function guideFiles() {
  const read = (guide) => readFileSync(join(root, '../../docs/guides', guide), 'utf8')
  const blocks = [
    ...read('nextjs.md').matchAll(/^```typescript\n\/\/ (\S+)\n(.*?)^```$/gms),
    ...read('browsers.md').matchAll(/^`(app\/\S+)`:\n\n```js\n(.*?)^```$/gms),
  ]
  return blocks.map(([, path, code]) => [path, code])
}

/** What Next.js may not do here: call home, or repair a lock file with what it downloads. */
export const quietly = { NEXT_TELEMETRY_DISABLED: '1', NEXT_IGNORE_INCORRECT_LOCKFILE: '1' }
