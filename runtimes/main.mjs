import { findFacts } from './program.mjs'

console.log(JSON.stringify(await findFacts(...process.argv.slice(2))))
