import { describe, expect, it } from 'vitest'
import type { RequestExchange } from '../data/wire.ts'
import { shellQuoted } from './code.ts'
import { curlOf } from './exchange-code.ts'
import { count, formatDuration } from './format.ts'

describe('durations for people', () => {
  it.each([
    [0, '0 ms'],
    [350, '350 ms'],
    [1_000, '1 s'],
    [1_040, '1.04 s'],
    [4_200, '4.2 s'],
    [59_940, '59.9 s'],
    [90_000, '1 min 30 s'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [200_000_000, '2 d 8 h'],
  ])('%i ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  it('says how many', () => {
    expect([count(1, 'credit'), count(10_000, 'credit')]).toEqual(['1 credit', '10,000 credits'])
  })
})

describe('code that is copied', () => {
  it('is one argument of a shell', () => {
    expect(shellQuoted("it's $HOME")).toBe(`'it'\\''s $HOME'`)
  })

  const run: RequestExchange = {
    kind: 'request',
    at_ms: 0,
    duration_ms: 0,
    attempt: 1,
    place: 1,
    end_place: 2,
    method: 'POST',
    path: '/v1/models/lumen%2Faurora-video/run',
    route: 'runModel',
    request_body: '{"input":{"prompt":"waves"},"sync":false}',
  }

  it('is the request as curl, without a key', () => {
    expect(curlOf(run, 'http://127.0.0.1:4010')).toBe(
      `curl 'http://127.0.0.1:4010/v1/models/lumen%2Faurora-video/run' \\\n  -H "authorization: Bearer $MODELRUN_API_KEY" \\\n  -H 'content-type: application/json' \\\n  -d '{"input":{"prompt":"waves"},"sync":false}'`,
    )
  })
})
