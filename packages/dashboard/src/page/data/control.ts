import { signal } from '@preact/signals'

/** Whether the server asks for the control token: it was called from another machine, or under another name. */
export const needsToken = signal(false)

const TOKEN_NAME = 'modelrun-control-token'

/** Whether this tab has a token: when the server asks again, it is a wrong one. */
export function hasToken(): boolean {
  return sessionStorage.getItem(TOKEN_NAME) !== null
}

export function setToken(token: string): void {
  sessionStorage.setItem(TOKEN_NAME, token)
  needsToken.value = false
}

export class ControlError extends Error {
  /** Missing when there was no response. */
  readonly status: number | undefined

  constructor(status: number | undefined, message: string) {
    super(message)
    this.status = status
  }
}

async function callControl(method: string, path: string, body?: unknown): Promise<Response> {
  const token = sessionStorage.getItem(TOKEN_NAME)
  const response = await fetch(`/_reference/${path}`, {
    method,
    headers: token === null ? {} : { 'x-reference-token': token },
    body: body === undefined ? null : JSON.stringify(body),
    cache: 'no-store',
  }).catch(() => {
    throw new ControlError(undefined, 'The server does not respond.')
  })
  if (response.ok) return response
  if (response.status === 403) needsToken.value = true
  throw new ControlError(response.status, await messageOf(response))
}

export async function read<Value>(path: string): Promise<Value> {
  const text = await (await callControl('GET', path)).text()
  return JSON.parse(text.replace(DIRECTION_MARKS, (mark) => `\\\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`))
}

/** Texts of others that hold them would turn the words of the page around. They are shown as `\u202e`. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

export async function post<Value = unknown>(path: string, body: unknown = {}): Promise<Value> {
  return (await callControl('POST', path, body)).json()
}

export async function remove(path: string): Promise<void> {
  await callControl('DELETE', path)
}

async function messageOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined)
  const message = (body as { error?: { message?: string } } | undefined)?.error?.message
  return message ?? `The server responded with ${response.status}.`
}
