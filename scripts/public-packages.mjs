import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The packages that are published, each with its folder; fails when one has not been built. */
export function publicPackages() {
  const packages = globSync('packages/*/package.json')
    .toSorted()
    .map((path) => ({ folder: dirname(path), manifest: JSON.parse(readFileSync(path, 'utf8')) }))
    .filter(({ manifest }) => !manifest.private)
  const unbuilt = packages.filter(({ folder }) => !existsSync(join(folder, 'dist')))
  if (unbuilt.length > 0) {
    console.error(`Not built: ${unbuilt.map(({ manifest }) => manifest.name).join(', ')}. Run \`npm run build\` first.`)
    process.exit(1)
  }
  return packages
}
