// The example with Next.js as its page says: a copy of the folder, `npm install`, and the build that a host makes. Only our
// packages do not come from the registry: they are packed here.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const OURS = [
  '@modelrun/contract',
  'modelrun',
  '@modelrun/durable',
  '@modelrun/ai-sdk-provider',
  '@modelrun/reference-server',
]

function npm(folder, ...args) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }
  return execFileSync('npm', [...args, '--prefix', folder], {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Each of our packages with the address of its tarball. */
function packInto(folder) {
  mkdirSync(folder)
  const workspaces = OURS.flatMap((name) => ['--workspace', name])
  const packed = JSON.parse(npm(root, 'pack', '--json', '--silent', '--pack-destination', folder, ...workspaces))
  return Object.fromEntries(packed.map(({ name, filename }) => [name, `file:${join(folder, filename)}`]))
}

function useTarballs(file, tarballs) {
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  for (const names of [manifest.dependencies, manifest.devDependencies]) {
    for (const name of Object.keys(names)) names[name] = tarballs[name] ?? names[name]
  }
  // The packages need it themselves.
  manifest.overrides = { '@modelrun/contract': tarballs['@modelrun/contract'] }
  writeFileSync(file, JSON.stringify(manifest))
}

const folder = mkdtempSync(join(tmpdir(), 'modelrun-next-'))
try {
  const app = join(folder, 'app')
  cpSync(join(root, 'examples/nextjs'), app, { recursive: true, filter: (path) => !path.includes('node_modules') })
  useTarballs(join(app, 'package.json'), packInto(join(folder, 'packed')))
  npm(app, 'install', '--prefer-offline', '--no-audit', '--no-fund')
  for (const script of ['build', 'test']) npm(app, 'run', script)
  console.log('The example with Next.js is installed, built and tested as its page says.')
} finally {
  rmSync(folder, { recursive: true })
}
