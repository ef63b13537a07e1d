import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isRecord, memberOf, tryParseJson } from '@modelrun/kit'
import { messageOf, UsageError } from '../errors.ts'
import { makeFolder, writePrivate } from '../files/private-files.ts'
import type { Env } from '../terminal/terminal.ts'

/** The profile that is meant where none is named. */
export const DEFAULT_PROFILE = 'default'

/** A url and the key that is for it: always both. */
interface Profile {
  baseUrl: string
  apiKey: string
}

/** What is shown of a profile, and its secret. */
export interface StoredProfile {
  base_url: string
  /** Its type and its end. */
  key: string
  /** Version 0.1.0 could store the secret in the keychain of the system. */
  stored_in: 'keychain' | 'file'
  secret?: string
}

/**
 * Finds a profile.
 *
 * @param name undefined: the default one, if it is there
 * @throws UsageError when a profile is named that is not there, or its key is in a keychain
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
  const profile = tryParseJson(stored.secret ?? '')
  // Only `storeProfile` writes it, both of its members at once.
  if (isRecord(profile)) return profile as unknown as Profile
  throw new UsageError(
    `The key of the profile ${name ?? DEFAULT_PROFILE} is in the keychain of the system, which is not read any more. Store it again with: ${again}`,
  )
}

/** Stores a profile. Returns the one that it replaces. @throws UsageError */
export function storeProfile(name: string, profile: Profile, env: Env): StoredProfile | undefined {
  const profiles = readProfiles(env)
  const replaced = profiles.get(name)
  const { baseUrl: base_url, apiKey } = profile
  profiles.set(name, { base_url, key: shownKey(apiKey), stored_in: 'file', secret: JSON.stringify(profile) })
  writeProfiles(profiles, env)
  return replaced
}

/** Returns the profile that was removed; undefined when there was none. @throws UsageError */
export function removeProfile(name: string, env: Env): StoredProfile | undefined {
  const profiles = readProfiles(env)
  const removed = profiles.get(name)
  if (profiles.delete(name)) writeProfiles(profiles, env)
  return removed
}

/** A short key is not shown at all: four characters would be much of it. */
export function shownKey(apiKey: string): string {
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
    throw new UsageError(`The profiles in ${path} cannot be read: ${messageOf(error)}`)
  }
}

function writeProfiles(profiles: ReadonlyMap<string, StoredProfile>, env: Env): void {
  const path = profilesPath(env)
  try {
    makeFolder(dirname(path), 0o700)
    writePrivate(path, JSON.stringify({ v: 1, profiles: Object.fromEntries(profiles) }))
  } catch (error) {
    throw new UsageError(
      `The profiles cannot be written: ${messageOf(error)}. Set XDG_CONFIG_HOME to a folder that can be written.`,
    )
  }
}
