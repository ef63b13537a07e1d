import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

/** A project of a user: his files, our settings, and the packages of the repository. Its end removes the folder. */
export async function createProject(files: Record<string, string>): Promise<AsyncDisposable & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-types-'))
  const settings = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: { noEmit: true, allowImportingTsExtensions: true, typeRoots: [join(ROOT, 'node_modules/@types')] },
    include: ['*.ts'],
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const all = { 'tsconfig.json': JSON.stringify(settings), 'package.json': '{ "type": "module" }', ...files }
  await Promise.all(Object.entries(all).map(([path, text]) => writeFile(join(folder, path), text)))
  return { folder, [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true }) }
}
