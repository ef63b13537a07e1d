/** What waiting for jobs costs the service and the process, and how soon the end of a job is known. */
import { report } from './harness/report.ts'
import { measureCadence } from './waits/cadence.ts'
import { measureHold } from './waits/hold.ts'
import { measureRate } from './waits/rate.ts'
import { goalTable, type Section } from './waits/section.ts'

const sections: Section[] = []
for (const measure of [measureHold, measureCadence, measureRate]) {
  const section = await measure()
  console.error(`${section.title}: measured`)
  sections.push(section)
}

await report('waits', [
  'How often each client asks for a job, how late it knows the end, and what many waits cost. Every client has its defaults where nothing else is said; each sees a service that speaks its own words. The ratios are modelrun to the other.',
  goalTable(sections.flatMap(({ goals }) => goals)),
  ...sections.flatMap(({ title, paragraphs }) => [`## ${title}`, ...paragraphs]),
])
