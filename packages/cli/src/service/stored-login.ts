import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { memberOf, stringIn, tryParseJson } from '@modelrun/kit'
import { messageOf, UsageError } from '../errors.ts'
import { makeFolder, writePrivate } from '../files/private-files.ts'
import type { Env } from '../terminal/terminal.ts'

interface Login {
  baseUrl: string
  apiKey: string
}

/** Version 0.1.0 had several, by name. Those that have another name are kept. */
const NAME = 'default'

export function readLogin(env: Env): Login | undefined {
  const login = tryParseJson(stringIn(memberOf(readFile(env), NAME), 'secret') ?? '')
  const [baseUrl, apiKey] = [stringIn(login, 'baseUrl'), stringIn(login, 'apiKey')]
  return baseUrl === undefined || apiKey === undefined ? undefined : { baseUrl, apiKey }
}

/** Stores a login in place of the one that is there. Undefined removes it. @throws UsageError */
export function storeLogin(login: Login | undefined, env: Env): void {
  const path = filePath(env)
  const entry = login && { secret: JSON.stringify(login) }
  try {
    makeFolder(dirname(path), 0o700)
    writePrivate(path, JSON.stringify({ v: 1, profiles: { ...readFile(env), [NAME]: entry } }))
  } catch (error) {
    throw new UsageError(
      `The login cannot be written: ${messageOf(error)}. Set XDG_CONFIG_HOME to a folder that can be written.`,
    )
  }
}

function filePath(env: Env): string {
  const base = env.XDG_CONFIG_HOME || (process.platform === 'win32' && env.APPDATA) || join(homedir(), '.config')
  return join(base, 'modelrun', 'profiles.json')
}

function readFile(env: Env): object | undefined {
  const path = filePath(env)
  const profiles = existsSync(path) ? memberOf(tryParseJson(readFileSync(path, 'utf8')), 'profiles') : undefined
  return typeof profiles === 'object' && profiles !== null ? profiles : undefined
}
