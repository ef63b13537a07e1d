import { ConfigurationError } from '../errors/local-errors.ts'
import { nodeBuiltin } from '../node-builtin.ts'

/** The file system of Node, Bun and Deno. */
export type FileSystem = ReturnType<typeof fileSystem>

/** @throws ConfigurationError where there is none */
export function fileSystem() {
  // Not imported: browsers have no such modules, and bundlers for them would stumble.
  const fs = nodeBuiltin('node:fs/promises')
  const path = nodeBuiltin('node:path')
  if (fs === undefined || path === undefined) {
    throw new ConfigurationError({ message: 'This runtime has no file system. Use `files.download` instead.' })
  }
  return { fs, path }
}

/** Whether an error of the file system has a code such as `EEXIST`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
