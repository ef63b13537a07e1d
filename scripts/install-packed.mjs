// Packs the packages and installs them in the folder where this is run, beside the tools that are there.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const packages = {
  '@modelrun/contract': 'contract',
  modelrun: 'sdk',
  '@modelrun/reference-server': 'reference-server',
  '@modelrun/conformance': 'conformance',
  '@modelrun/durable': 'durable',
  '@modelrun/ai-sdk-provider': 'ai-sdk-provider',
}

/** `--prefix`, because npm hands its own down to the commands that it starts. */
function npm(folder, ...args) {
  execFileSync('npm', [...args, '--prefix', folder], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
}

const isBuilt = Object.values(packages).every((name) => existsSync(join(root, 'packages', name, 'dist')))
if (!isBuilt) npm(root, 'run', 'build')

const folder = mkdtempSync(join(tmpdir(), 'modelrun-packed-'))
try {
  const workspaces = Object.keys(packages).flatMap((name) => ['--workspace', name])
  npm(root, 'pack', '--silent', '--pack-destination', folder, ...workspaces)
  const tarballs = readdirSync(folder).map((name) => join(folder, name))
  npm(process.cwd(), 'install', '--no-save', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs)
} finally {
  rmSync(folder, { recursive: true })
}
