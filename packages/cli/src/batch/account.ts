import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringIn, tryParseJson } from '@modelrun/kit'
import { UsageError } from '../errors.ts'
import { writePrivate } from '../files/private-files.ts'
import type { Service } from '../service/service.ts'

/** Who pays for a batch, as far as a client can know: the service has no name for an account. In the folder of the batch. */
interface Account {
  v: 1
  baseUrl: string
  /** The start of the key, which says its type (section 5), and a fingerprint: never the key. */
  key: string
  /** Makes the fingerprint one of this folder only. */
  salt: string
}

interface OwnedFolder {
  out: string
  sameAccount?: boolean | undefined
}

export function stateFolder(out: string): string {
  return join(out, '.modelrun')
}

/**
 * Checks that a batch belongs to this service and key. Its jobs are not found at another service, and its results are not
 * those of another one.
 *
 * @throws UsageError when it belongs to another one
 */
export function checkAccount({ out, sameAccount }: OwnedFolder, service: Service): void {
  const stored = readAccount(out)
  if (sameAccount || stored === undefined) return
  const now = describeAccount(service, stored.salt)
  if (now.baseUrl === stored.baseUrl && now.key === stored.key) return
  throw new UsageError(`The batch in ${out} belongs to another service or another key. Nothing was sent.`, [
    `  the batch:     ${stored.baseUrl}, key ${stored.key}`,
    `  this command:  ${now.baseUrl}, key ${now.key}`,
    'Set the url and the key of the batch. If it is the same account with a new key, or at a new url, add --same-account once.',
    'Another folder with --out is a new batch: all rows are paid there.',
  ])
}

/** Whether the folder has had a batch that sends. */
export function isBound({ out }: OwnedFolder): boolean {
  return readAccount(out) !== undefined
}

/** Binds the folder to this service and key, unless it is bound. @throws UsageError */
export function bindAccount({ out, sameAccount }: OwnedFolder, service: Service): void {
  const account = JSON.stringify(describeAccount(service, randomBytes(16).toString('hex')))
  if (sameAccount || !isBound({ out })) writePrivate(join(stateFolder(out), 'account.json'), account)
  // Of two processes that start a batch at the same time, one wrote last.
  checkAccount({ out }, service)
}

function describeAccount({ baseUrl, apiKey }: Service, salt: string): Account {
  const [type = ''] = /^sk_(live|test)_/.exec(apiKey) ?? []
  const fingerprint = createHmac('sha256', salt).update(apiKey).digest('hex').slice(0, 12)
  return { v: 1, salt, baseUrl, key: `${type}… (${fingerprint})` }
}

/** Undefined when the folder has no batch yet, or a dry run alone. */
function readAccount(out: string): Account | undefined {
  const path = join(stateFolder(out), 'account.json')
  const account = existsSync(path) ? tryParseJson(readFileSync(path, 'utf8')) : undefined
  // Only `bindAccount` writes it.
  return stringIn(account, 'salt') !== undefined ? (account as Account) : undefined
}
