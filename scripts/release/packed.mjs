// The packages as they would be published, installed in a fresh project.
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publicPackages } from '../public-packages.mjs'

export const root = `${join(import.meta.dirname, '../..')}/`

/** Runs npm in a folder, and returns what it printed. `--prefix`, because npm hands its own down to what it starts. */
export function npm(folder, ...args) {
  const options = { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64_000_000 }
  return execFileSync('npm', [...args, '--prefix', folder], options)
}

/** Packs every public package into a folder: what npm says of each, with the path of its tarball. */
export function packAll(folder, from = root) {
  const workspaces = publicPackages().flatMap(({ manifest }) => ['--workspace', manifest.name])
  const packed = JSON.parse(npm(from, 'pack', '--json', '--pack-destination', folder, ...workspaces))
  return Object.values(packed).map((entry) => ({ ...entry, path: join(folder, entry.filename) }))
}

/** Makes a project that has these packages, and nothing else. */
export function installFresh(folder, packages) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'fresh', version: '1.0.0', type: 'module' }))
  npm(folder, 'install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', ...packages)
}

/** The packages that are there more than once in a project, each with its places. */
export function findCopies(folder, names) {
  return names
    .map((name) => [name, globSync(`**/node_modules/${name}/package.json`, { cwd: folder })])
    .filter(([, places]) => places.length > 1)
}

export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))
