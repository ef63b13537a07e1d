// Checks the packages as npm would publish them: publint for the manifest, attw for the types of every entry point.
import { spawnSync } from 'node:child_process'
import { publicPackages } from './public-packages.mjs'

const checks = [
  ['publint', '--strict'],
  // ESM only, so what a CommonJS consumer would see is left out; nothing is looked up on the network.
  ['attw', '--pack', '--profile', 'esm-only', '--no-definitely-typed', '--no-summary', '--no-emoji'],
]

let failures = 0
for (const { folder, manifest } of publicPackages()) {
  for (const [command, ...args] of checks) {
    console.log(`\n${manifest.name}: ${command}`)
    const { status } = spawnSync(command, [...args, folder], { stdio: 'inherit' })
    if (status !== 0) failures += 1
  }
}
if (failures > 0) console.error(`\n${failures} package checks failed.`)
process.exitCode = failures > 0 ? 1 : 0
