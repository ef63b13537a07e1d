import { createHmac, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '../errors/usage-error.ts'
import type { BatchOptions } from './batch-options.ts'

/** Who pays for a batch, as far as a client can know: the service has no name for an account. */
interface Account {
  baseUrl: string
  /** The start of the key, which says its type (section 5), and a fingerprint: never the key. */
  key: string
}

/** In the folder of a batch. */
interface StoredAccount extends Account {
  v: 1
  /** Makes the fingerprint one of this folder only. */
  salt: string
}

/** The folder of a batch, and who is to pay for it now. */
export interface AccountCheck {
  baseUrl: string
  apiKey: string
  options: Pick<BatchOptions, 'out' | 'sameAccount'>
}

/** Where a batch is kept. */
export function stateFolderOf({ out }: Pick<BatchOptions, 'out'>): string {
  return join(out, '.modelrun')
}

/**
 * Checks that a batch belongs to this service and key. Its jobs are not found at another service, and its results are not
 * those of another one.
 *
 * @throws UsageError when it belongs to another one
 */
export async function checkAccount(check: AccountCheck): Promise<void> {
  const folder = stateFolderOf(check.options)
  const isUsed = existsSync(join(folder, 'batch.db'))
  const stored = await readAccount(folder)
  if (check.options.sameAccount || (!isUsed && stored === undefined)) return
  const { out } = check.options
  if (stored === undefined) {
    throw new UsageError(
      `The batch in ${out} does not say to which service it belongs. Nothing was sent. ` +
        'If it is of this url and key, add --same-account once. Another folder with --out is a new batch: all rows are paid there.',
    )
  }
  const now = accountOf(check, stored.salt)
  if (now.baseUrl === stored.baseUrl && now.key === stored.key) return
  throw new UsageError(
    [
      `The batch in ${out} belongs to another service or another key. Nothing was sent.`,
      `  the batch:     ${stored.baseUrl}, key ${stored.key}`,
      `  this command:  ${now.baseUrl}, key ${now.key}`,
      'Set the url and the key of the batch. If it is the same account with a new key, or at a new url, add --same-account once.',
      'Another folder with --out is a new batch: all rows are paid there.',
    ].join('\n'),
  )
}

/** Binds the folder to this service and key, unless it is bound. @throws UsageError */
export async function bindAccount(check: AccountCheck): Promise<void> {
  const folder = stateFolderOf(check.options)
  await mkdir(folder, { recursive: true })
  const salt = randomBytes(16).toString('hex')
  const account: StoredAccount = { v: 1, salt, ...accountOf(check, salt) }
  const isKept = !check.options.sameAccount && (await readAccount(folder)) !== undefined
  if (!isKept) await writeFile(join(folder, 'account.json'), JSON.stringify(account), { mode: 0o600 })
  // Of two processes that start a batch at the same time, one wrote last.
  await checkAccount({ ...check, options: { ...check.options, sameAccount: false } })
}

function accountOf({ baseUrl, apiKey }: AccountCheck, salt: string): Account {
  const [type = ''] = /^sk_(live|test)_/.exec(apiKey) ?? []
  const fingerprint = createHmac('sha256', salt).update(apiKey).digest('hex').slice(0, 12)
  const url = new URL(baseUrl)
  return { baseUrl: `${url.origin}${url.pathname.replace(/\/+$/, '')}`, key: `${type}… (${fingerprint})` }
}

async function readAccount(folder: string): Promise<StoredAccount | undefined> {
  try {
    const account: StoredAccount = JSON.parse(await readFile(join(folder, 'account.json'), 'utf8'))
    return typeof account.salt === 'string' ? account : undefined
  } catch {
    // Missing, or half written by a process that was killed before it opened the batch.
    return undefined
  }
}
