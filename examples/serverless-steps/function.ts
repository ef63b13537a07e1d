import { result, start, status } from './steps.ts'

// One step as a process of its own, as a serverless platform would run it: `node function.ts start '{"model":…}'`.

const steps = { start, status, result }

const [name = '', argument = ''] = process.argv.slice(2)
const step = Object.entries(steps).find(([known]) => known === name)?.[1]
if (!step) throw new Error(`There is no step ${JSON.stringify(name)}; there are ${Object.keys(steps).join(', ')}.`)
// The engine passes each step what the step before it gave.
process.stdout.write(JSON.stringify(await step(JSON.parse(argument))))
