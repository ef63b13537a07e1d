// Prints `llms.txt` of the repository; a test keeps the file equal to it.
import { globSync } from 'node:fs'
import { llmsText } from './guides.mjs'

process.stdout.write(llmsText(globSync('docs/guides/*').toSorted(), (path) => path))
