import { expect, it } from 'vitest'
import { readGuides } from '../guide-programs.ts'
import { FAST, INPUT, useTraceHarness } from './trace-harness.ts'

const guide = await readGuides('observability.md')

const harness = useTraceHarness()

it('the guide has each name of an attribute, an event and a span, and no other one', async () => {
  const client = harness.connect()
  harness.server.faults.add({ kind: 'refused', route: 'runModel', times: 1 })
  harness.server.faults.add({ kind: 'unavailable', route: 'getJob', times: 1 })
  await client.run(FAST, INPUT)
  await client.run(FAST, INPUT, { mode: 'async' })
  await (await client.submit(FAST, INPUT)).result()
  await client.run('nowhere', INPUT).catch(() => {})
  await client.run(FAST, INPUT, { signal: AbortSignal.abort() }).catch(() => {})
  const spans = harness.spans()
  const seen = spans.flatMap(({ name, attributes, events }) => [
    ...(name.startsWith('modelrun.') ? [name] : []),
    ...Object.keys(attributes),
    ...events.flatMap(([event, attributes]) => [event, ...Object.keys(attributes)]),
  ])
  const [, traces = ''] = guide.split('\n## Traces\n')
  const [section = ''] = traces.split('\n## ')
  const written = [...section.matchAll(/`((?:gen_ai|modelrun|http|url|server|error)\.[\w.]+)`/g)].map(
    ([, name]) => name,
  )
  expect(new Set(written)).toEqual(new Set(seen))
})
