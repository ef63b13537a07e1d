/** POSTs and charges of one logical call through the AI SDK, whose retries are on, under twelve faults. */
import { report, table } from './harness/report.ts'
import { KINDS, type Kind, measureCall, type Outcome, VENDORS, type Vendor } from './providers/calls.ts'
import { FAULTS, type Fault } from './providers/faults.ts'

globalThis.AI_SDK_LOG_WARNINGS = false

type Results = readonly (readonly [Kind, Outcome | undefined])[]

async function measure(vendor: Vendor, fault: Fault): Promise<Results> {
  return await Promise.all(KINDS.map(async (kind) => [kind, await measureCall(vendor, kind, fault)] as const))
}

/** `3/3, error`, or by kind where they differ. */
function describe(results: Results): string {
  const kindsOf = new Map<string, Kind[]>()
  for (const [kind, outcome] of results) {
    if (outcome === undefined) continue
    const { posts, charges, end } = outcome
    const text = `${charges > 1 ? `**${posts}/${charges}**` : `${posts}/${charges}`} ${end}`
    kindsOf.set(text, [...(kindsOf.get(text) ?? []), kind])
  }
  if (kindsOf.size === 1) return [...kindsOf.keys()].join()
  return [...kindsOf].map(([text, kinds]) => `${kinds.join(', ')}: ${text}`).join('<br>')
}

// Side by side: most of the time is waits of the AI SDK.
const rows = await Promise.all(
  FAULTS.map(async (fault) => [
    fault.name,
    ...(await Promise.all(VENDORS.map(async (vendor) => describe(await measure(vendor, fault))))),
  ]),
)

const HEADINGS = ['fault', '`@ai-sdk/fal`', '`@ai-sdk/replicate`', '`@modelrun/ai-sdk-provider`']

await report(
  'providers',
  [
    'POSTs / charges of one logical call of the AI SDK with its default `maxRetries` of 2, and whether it brought its file. One call each for image, speech, video, and video by status (`poll`); Replicate has no speech. Each provider sends to a service in the process that responds as its own does, the faults are injected there. A charge is a run that the service accepted.',
    table(HEADINGS, rows),
  ],
  { packages: ['ai', '@ai-sdk/fal', '@ai-sdk/replicate'] },
)
