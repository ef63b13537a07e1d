// After `changeset version`: writes the new versions where they are repeated outside of the workspaces: examples that
// bring their own tools, and the lock file of lab/bench.
import { globSync, writeFileSync } from 'node:fs'
import { readJson, root } from './packed.mjs'

const versions = new Map(
  globSync('packages/*/package.json', { cwd: root })
    .map((path) => readJson(root + path))
    .map(({ name, version }) => [name, version]),
)

for (const path of globSync('examples/*/package.json', { cwd: root })) {
  write(path, withNewRanges(readJson(root + path)))
}

const lock = readJson(`${root}lab/bench/package-lock.json`)
for (const [name, version] of versions) {
  const entry = lock.packages[`node_modules/${name}`]
  if (entry) Object.assign(withNewRanges(entry), { version })
}
write('lab/bench/package-lock.json', lock)

function withNewRanges(manifest) {
  for (const kind of ['dependencies', 'devDependencies', 'peerDependencies']) {
    for (const name of Object.keys(manifest[kind] ?? {})) {
      if (versions.has(name)) manifest[kind][name] = `^${versions.get(name)}`
    }
  }
  return manifest
}

function write(path, value) {
  writeFileSync(root + path, `${JSON.stringify(value, undefined, 2)}\n`)
}
