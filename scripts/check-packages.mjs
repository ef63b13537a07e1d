// Checks the packages as npm would publish them: publint for the manifest, attw for the types of every entry point, and
// that the code of others in them has its notice.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { publicPackages } from './public-packages.mjs'

const checks = [
  ['publint', '--strict'],
  // Every way to resolve an import, node10 included; nothing is looked up on the network.
  ['attw', '--pack', '--profile', 'strict', '--no-definitely-typed', '--no-summary', '--no-emoji'],
]

/** esbuild says of which file each part of a bundle is. */
const BUNDLED = /^\/\/ (?:\.\.\/)*node_modules\/((?:@[^/]+\/)?[^/]+)\//gm

/** The packages whose code is in a package, and that its notices do not name. */
function findUnnoticed(folder) {
  const path = join(folder, 'THIRD-PARTY-NOTICES.md')
  const notices = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const bundles = globSync(join(folder, 'dist/**/*.{js,cjs}')).map((file) => readFileSync(file, 'utf8'))
  const bundled = new Set(bundles.flatMap((text) => Array.from(text.matchAll(BUNDLED), ([, name]) => name)))
  return [...bundled].filter((name) => !notices.includes(`| ${name} |`))
}

let failures = 0
for (const { folder, manifest } of publicPackages()) {
  for (const [command, ...args] of checks) {
    // A package that is a command has no types.
    if (command === 'attw' && manifest.exports['.'] === undefined) continue
    console.log(`\n${manifest.name}: ${command}`)
    const styles = Object.keys(manifest.exports).filter((path) => path.endsWith('.css'))
    const without = command === 'attw' && styles.length > 0 ? ['--exclude-entrypoints', ...styles, '--'] : []
    const { status } = spawnSync(command, [...args, ...without, folder], { stdio: 'inherit' })
    if (status !== 0) failures += 1
  }
  for (const name of findUnnoticed(folder)) {
    console.error(`${manifest.name}: THIRD-PARTY-NOTICES.md must name ${name}, whose code is in dist.`)
    failures += 1
  }
}
if (failures > 0) console.error(`\n${failures} package checks failed.`)
process.exitCode = failures > 0 ? 1 : 0
