import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/** Servers that are installed only here, each in a folder of its own: they bring hundreds of packages. */
const FOLDER = fileURLToPath(new URL('../../node_modules/.servers/', import.meta.url))

/** Our own packages as they would be published. */
const OUR_PACKAGES = ['packages/contract', 'packages/reference-server']

/** What to install of each server. */
const SPECIFIERS = {
  'reference server': [],
  hono: ['hono@4.13.19', '@hono/node-server@2.1.8'],
  Prism: ['@stoplight/prism-cli@5.16.0'],
  Mockoon: ['@mockoon/cli@9.9.0'],
} as const

export type ServerName = keyof typeof SPECIFIERS

export const SERVERS: readonly ServerName[] = ['reference server', 'hono', 'Prism', 'Mockoon']

export interface Installed {
  folder: string
  packages: number
  megabytes: number
}

/** Installs a server as its users do, without what is optional, and without running anything of it. */
export function install(name: ServerName): Installed {
  const folder = folderOf(name)
  const isOurs = name === 'reference server'
  if (isOurs) rmSync(folder, { recursive: true, force: true })
  if (!existsSync(join(folder, 'node_modules'))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    const specifiers = isOurs ? OUR_PACKAGES.map((path) => pack(path, folder)) : SPECIFIERS[name]
    npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', ...specifiers], folder)
  }
  const modules = join(folder, 'node_modules')
  return { folder, packages: countPackages(modules), megabytes: byteSize(modules) / 1e6 }
}

export function folderOf(name: ServerName): string {
  return join(FOLDER, name.replace(' ', '-'))
}

function pack(path: string, folder: string): string {
  const names = JSON.parse(npm(['pack', '--json', '--pack-destination', folder], join(ROOT, path))) as unknown
  return join(folder, /[\w.-]+\.tgz/.exec(JSON.stringify(names))?.[0] ?? '')
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

/** Every copy of a package counts. */
function countPackages(modules: string): number {
  return readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(^|\/node_modules\/)(@[^/]+\/)?[^@/.][^/]*\/package\.json$/.test(path),
  ).length
}

function byteSize(folder: string): number {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => lstatSync(join(folder, path)))
  return paths.reduce((sum, status) => sum + (status.isFile() ? status.size : 0), 0)
}
