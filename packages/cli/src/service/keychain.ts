import { spawnSync } from 'node:child_process'
import type { Env } from '../terminal/terminal.ts'

/** How long a person may take to unlock the keychain. */
const UNLOCK_MS = 60_000

const isMac = process.platform === 'darwin'
const SECURITY_ITEM = ['-s', 'modelrun', '-a']
const SECRET_TOOL_ITEM = ['service', 'modelrun', 'profile']

/**
 * Stores a secret with `secret-tool` of libsecret, or `security` of macOS. The secret is never an argument.
 *
 * @returns whether the keychain has it now: false where there is none, or it is locked
 */
export function storeSecret(name: string, secret: string, env: Env): boolean {
  // The interactive mode of `security` reads commands from standard input.
  const command = `add-generic-password -U -s modelrun -a "${name}" -w "${secret.replace(/["\\]/g, '\\$&')}"\n`
  if (isMac) call(['-i'], env, command)
  else call(['store', `--label=modelrun ${name}`, ...SECRET_TOOL_ITEM, name], env, secret)
  return readSecret(name, env) === secret
}

/** Undefined where there is no keychain or no such secret. */
export function readSecret(name: string, env: Env): string | undefined {
  const args = isMac ? ['find-generic-password', ...SECURITY_ITEM, name, '-w'] : ['lookup', ...SECRET_TOOL_ITEM, name]
  return call(args, env)?.replace(/\n$/, '')
}

export function removeSecret(name: string, env: Env): void {
  call(isMac ? ['delete-generic-password', ...SECURITY_ITEM, name] : ['clear', ...SECRET_TOOL_ITEM, name], env)
}

function call(args: readonly string[], env: Env, input = ''): string | undefined {
  const options = { input, env: { ...env }, encoding: 'utf8', timeout: UNLOCK_MS } as const
  const { status, stdout } = spawnSync(isMac ? 'security' : 'secret-tool', args, options)
  return status === 0 ? stdout : undefined
}
