import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isRecord, memberOf, tryParseJson } from '@modelrun/kit'
import { reasonOf, UsageError } from '../errors.ts'
import { makeFolder } from '../files/make-folder.ts'
import type { Env } from '../terminal/terminal.ts'
import { readSecret, removeSecret, storeSecret } from './keychain.ts'

/** The profile that is meant where none is named. */
export const DEFAULT_PROFILE = 'default'

/** A url and the key that is for it: always both. */
interface Profile {
  baseUrl: string
  apiKey: string
}

/** What is shown of a profile, and, when it is not in the keychain, its key. */
interface StoredProfile {
  base_url: string
  /** Its type and its end. */
  key: string
  stored_in: 'keychain' | 'file'
  secret?: string
}

/**
 * Finds a profile.
 *
 * @param name undefined: the default one, if it is there
 * @throws UsageError when a profile is named that is not there, or the keychain does not have it any more
 */
export function findProfile(name: string | undefined, env: Env): Profile | undefined {
  const profiles = readProfiles(env)
  const stored = profiles.get(name ?? DEFAULT_PROFILE)
  const again = `modelrun login --profile ${name ?? DEFAULT_PROFILE}`
  if (stored === undefined) {
    if (name === undefined) return undefined
    const known = profiles.size === 0 ? 'There are none' : `There are: ${[...profiles.keys()].join(', ')}`
    throw new UsageError(`There is no profile ${name}. ${known}. Store it with: ${again}`)
  }
  const profile = tryParseJson(stored.secret ?? readSecret(name ?? DEFAULT_PROFILE, env) ?? '')
  // Only `storeProfile` writes it, both of its members at once.
  if (isRecord(profile)) return profile as unknown as Profile
  throw new UsageError(
    `The keychain does not give the profile ${name ?? DEFAULT_PROFILE}: it is locked, or the entry was removed. ` +
      `Unlock it, or store the profile again with: ${again}`,
  )
}

/** Stores a profile in the keychain, where there is one, else in the file. @throws UsageError */
export function storeProfile(name: string, profile: Profile, env: Env): StoredProfile {
  const secret = JSON.stringify(profile)
  const shown = { base_url: profile.baseUrl, key: shownKey(profile.apiKey) }
  const stored: StoredProfile = storeSecret(name, secret, env)
    ? { ...shown, stored_in: 'keychain' }
    : { ...shown, stored_in: 'file', secret }
  writeProfiles(readProfiles(env).set(name, stored), env)
  return stored
}

/** @returns false when there is no such profile. @throws UsageError */
export function removeProfile(name: string, env: Env): boolean {
  const profiles = readProfiles(env)
  if (profiles.get(name)?.stored_in === 'keychain') removeSecret(name, env)
  if (!profiles.delete(name)) return false
  writeProfiles(profiles, env)
  return true
}

/** A short key is not shown at all: four characters would be much of it. */
function shownKey(apiKey: string): string {
  const [type = ''] = /^sk_(live|test)_/.exec(apiKey) ?? []
  return apiKey.length < 20 ? `${type}…` : `${type}…${apiKey.slice(-4)}`
}

function profilesPath(env: Env): string {
  const base = env.XDG_CONFIG_HOME || (process.platform === 'win32' && env.APPDATA) || join(homedir(), '.config')
  return join(base, 'modelrun', 'profiles.json')
}

/** Every profile that is stored. @throws UsageError */
export function readProfiles(env: Env): Map<string, StoredProfile> {
  const path = profilesPath(env)
  if (!existsSync(path)) return new Map()
  try {
    const profiles = memberOf(JSON.parse(readFileSync(path, 'utf8')), 'profiles')
    // Only this command writes the file.
    return new Map(Object.entries(profiles as Record<string, StoredProfile>))
  } catch (error) {
    throw new UsageError(`The profiles in ${path} cannot be read: ${reasonOf(error)}`)
  }
}

/** Whole or not at all, and for its user alone. */
function writeProfiles(profiles: ReadonlyMap<string, StoredProfile>, env: Env): void {
  const path = profilesPath(env)
  const own = `${path}.${process.pid}`
  try {
    makeFolder(dirname(path), 0o700)
    writeFileSync(own, JSON.stringify({ v: 1, profiles: Object.fromEntries(profiles) }), { mode: 0o600 })
    renameSync(own, path)
  } catch (error) {
    throw new UsageError(
      `The profiles cannot be written: ${reasonOf(error)}. Set XDG_CONFIG_HOME to a folder that can be written.`,
    )
  }
}
