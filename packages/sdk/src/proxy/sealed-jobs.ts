import { defined, tryParseJson } from '@modelrun/kit'
import * as z from 'zod/mini'
import { fromBase64, toBase64Url } from '../shared/signing/base64.ts'
import { createKeyring, type Secret } from '../shared/signing/keyring.ts'
import type { Reservation } from './budget/spending.ts'

export interface SealedJob {
  jobId: string
  /** Undefined where nothing was reserved. */
  reservation?: Reservation | undefined
}

/**
 * `v1~<kid>~<payload>~<mac>`. `~` needs no encoding in a path, and unlike a dot it does not make a file name of the id.
 * The service decides how long its ids are: whatever was sealed must open, or a paid job would be lost.
 */
const TOKEN = /^v1~([\w-]{1,16})~([\w-]+)~([\w-]{43})$/

/** The job's id, and what is reserved for it, where something is. */
const payloadSchema = /* @__PURE__ */ (() =>
  z.tuple([z.string(), z.nullish(z.object({ id: z.string(), credits: z.number(), window: z.number() }))]))()

/**
 * Signs ids with HMAC-SHA256 over the job, its user and the proxy. So no table is needed, every process can read them, and a user
 * who learns the id of a job of another user cannot use it, nor an id of another proxy, whose service may have the same ids.
 *
 * @throws ConfigurationError for a short secret or a wrong key id
 */
export function createJobSeals(secret: Secret, basePath: string) {
  const keyring = createKeyring(secret)
  /** The user comes last: it may hold any character, and a line break in it cannot change the other parts. */
  const signedText = (kid: string, payload: string, user: string) =>
    ['modelrun proxy job', 'v1', basePath, kid, payload, user].join('\n')
  return {
    seal: async (user: string, job: SealedJob): Promise<string> => {
      const kid = keyring.signer
      const payload = encode(job)
      const mac = toBase64Url(await keyring.sign(signedText(kid, payload, user)))
      return `v1~${kid}~${payload}~${mac}`
    },
    /** @returns Undefined for what was not sealed for this user, with one of the secrets */
    open: async (user: string, token: string): Promise<SealedJob | undefined> => {
      const [, kid = '', payload = '', mac = ''] = TOKEN.exec(token) ?? []
      if (mac === '' || !(await keyring.verify(kid, fromBase64(mac), signedText(kid, payload, user)))) return undefined
      return decode(payload)
    },
  }
}

function encode({ jobId, reservation }: SealedJob): string {
  return toBase64Url(new TextEncoder().encode(JSON.stringify([jobId, reservation])))
}

function decode(payload: string): SealedJob | undefined {
  const text = new TextDecoder().decode(fromBase64(payload))
  const [jobId, reservation] = z.safeParse(payloadSchema, tryParseJson(text)).data ?? []
  return jobId === undefined ? undefined : defined({ jobId, reservation: reservation ?? undefined })
}
