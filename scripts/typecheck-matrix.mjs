// Compiles programs that use the built packages, as a user's compiler would: the d.ts files must suit every TypeScript.
import { spawnSync } from 'node:child_process'
import { publicPackages } from './public-packages.mjs'

publicPackages()

const project = 'packages/integration-tests/consumer'
let failures = 0
for (const compiler of ['typescript-5.9', 'typescript', 'typescript-7']) {
  const tsc = `node_modules/${compiler}/bin/tsc`
  const version = spawnSync(process.execPath, [tsc, '--version'], { encoding: 'utf8' }).stdout.trim()
  const { status } = spawnSync(process.execPath, [tsc, '--project', project], { stdio: 'inherit' })
  console.log(`TypeScript ${version.replace('Version ', '')}: ${status === 0 ? 'ok' : 'failed'}`)
  if (status !== 0) failures += 1
}
process.exitCode = failures > 0 ? 1 : 0
