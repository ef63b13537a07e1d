import { describe, expect, it } from 'vitest'
import { LEGAL_KEY, LEGAL_SPECIAL_KEYS } from '../../../lab/legal-services/legal-keys.ts'
import { legalOptions } from '../../../lab/legal-services/legal-options.ts'
import { formatReport } from './format-report.ts'
import { isRecord } from './json.ts'
import { runConformance } from './run-conformance.ts'

/** What must be in no report. The key is recognised by its middle, so that a part of it counts as well. */
const MARKS = ['0123456', 'SIGNED', 'OTHERKEY', 'PASSWORD', ...Object.values(LEGAL_SPECIAL_KEYS)]

let planted = 0

/** A text with every kind of secret. Its length differs each time, so that what is cut is cut everywhere. */
function secretText(): string {
  return [
    'x'.repeat(++planted % 130),
    `Bearer ${LEGAL_KEY}`,
    'https://files.test/a/0.png?expires=1&signature=SIGNED_1#SIGNED_2',
    'https:\\/\\/files.test\\/0.png?a=1\\u0026signature=SIGNED_3',
    "s3://bucket/0.png?token='SIGNED_4'&x=SIGNED_5",
    'https://user:PASSWORD@files.test/',
    'sk_live_OTHERKEY',
    ...Object.values(LEGAL_SPECIAL_KEYS),
  ].join(' ')
}

const FREE_TEXTS = /^(name|description|provider|message|request_id|detail)$/

/** Plants secrets in every free text, and a member more whose name is one. */
function inTexts(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return FREE_TEXTS.test(name) ? secretText() : value
  if (Array.isArray(value)) return value.map((item) => inTexts(item))
  if (!isRecord(value)) return value
  const members = Object.entries(value).map(([key, member]) => [key, inTexts(member, key)])
  if (name === 'properties') return Object.fromEntries(members)
  return { ...Object.fromEntries(members), [`trace ${secretText()}`]: secretText(), code: value.code ?? secretText() }
}

/** Puts a secret into the place of every value, so that checks fail and show it. */
function everywhere(value: unknown, name = ''): unknown {
  if (['job_id', 'id', 'models', 'credits_per_run', 'input_schema'].includes(name)) return value
  if (Array.isArray(value)) return [...value.map((item) => everywhere(item)), secretText()]
  if (!isRecord(value)) return name === 'status' ? value : secretText()
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, everywhere(member, key)]))
}

/** The reports, and what was shown while the suite ran, of a service that has secrets in its responses. */
async function reportsOf(plant: (body: unknown) => unknown) {
  const { options, service } = legalOptions({ fileUrls: 'signed', failedSync: 200, jobFields: 'many' })
  const { deliver } = service
  service.deliver = (url, init) =>
    deliver(url, {
      ...init,
      headers: { ...Object.fromEntries(new Headers(init.headers)), 'x-webhook-secret': secretText() },
      body: JSON.stringify(plant(JSON.parse(String(init.body)))),
    })
  const fetch = async (url: string, init: RequestInit) => {
    const response = await service.fetch(url, init)
    const text = await response.text()
    const headers = { ...Object.fromEntries(response.headers), 'x-debug': secretText(), link: secretText() }
    if (!text.startsWith('{')) return new Response(text === '' ? null : text, { status: response.status, headers })
    return new Response(JSON.stringify(plant(JSON.parse(text))), { status: response.status, headers })
  }
  const progress: string[] = []
  const report = await runConformance({
    ...options,
    fetch,
    onProgress: (sentence) => progress.push(sentence),
  })
  const texts = { text: formatReport(report), json: JSON.stringify(report), progress: progress.join('\n') }
  return { report, texts }
}

function leaksOf(texts: Record<string, string>): string[] {
  return Object.entries(texts).flatMap(([format, text]) =>
    MARKS.filter((mark) => text.includes(mark)).map((mark) => {
      const index = text.indexOf(mark)
      return `${format}: ${text.slice(Math.max(0, index - 80), index + 40)}`
    }),
  )
}

describe('a service that has keys and signed urls in its responses', () => {
  it('leaves none of them in any report when it passes', async () => {
    const { report, texts } = await reportsOf(inTexts)
    expect(leaksOf(texts)).toEqual([])
    expect(report.summary.pass).toBeGreaterThan(70)
    expect(texts.json).toContain('sk_test_[redacted]')
    expect(texts.json).toContain('/0.png?[redacted]')
  })

  it('leaves none of them in any report when nearly everything fails', async () => {
    const { report, texts } = await reportsOf(everywhere)
    expect(leaksOf(texts)).toEqual([])
    expect(report.summary.fail).toBeGreaterThan(20)
  })

  it('leaves none of them in why no model can be run', async () => {
    const { options, service } = legalOptions()
    const fetch = async (url: string, init: RequestInit) => {
      const response = await service.fetch(url, init)
      const body = JSON.parse(await response.text())
      return Response.json(body.input_schema ? { ...body, pricing: { credits_per_run: LEGAL_KEY } } : body)
    }
    const error = await runConformance({ ...options, fetch }).catch(String)
    expect(error).toContain('has no price')
    const unread = await runConformance({ ...options, models: { main: { model: LEGAL_KEY } } }).catch(String)
    expect(unread).toContain('cannot be read')
    expect([error, unread].join()).not.toContain(LEGAL_KEY)
  })
})
