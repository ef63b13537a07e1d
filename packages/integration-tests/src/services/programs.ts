import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where Debian keeps the programs of the servers of Postgres and MariaDB: not in each PATH. */
const MORE_FOLDERS = ['/usr/lib/postgresql/*/bin', '/usr/sbin']

/** Full path of a program, when it is installed. */
export function findProgram(name: string): string | undefined {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...MORE_FOLDERS.flatMap((pattern) => globSync(pattern)),
  ]
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/**
 * Whether tests that need a program are left out, because it is missing, and how to say so in their title. With
 * `REQUIRE_SERVICES=1` none is left out: they fail.
 */
export function needs(...programs: string[]): { isMissing: boolean; note: string } {
  const missing = programs.filter((name) => findProgram(name) === undefined)
  const isMissing = missing.length > 0 && process.env.REQUIRE_SERVICES !== '1'
  return { isMissing, note: isMissing ? ` (left out: ${missing.join(' and ')} is not installed)` : '' }
}
