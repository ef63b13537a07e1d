import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

/** What Safari 16.4, Chrome 111 or React Native lack (docs/guides/runtimes.md). */
const NEWER =
  /\bURL\.(?:canParse|parse)\b|\bPromise\.(?:withResolvers|try)\b|\bArray\.fromAsync\b|\bAbortSignal\.(?:any|timeout)\b|\bstructuredClone\b|\bResponse\.json\b|\bsearchParams\.size\b|\bcrypto\.subtle\b|\b(?:Object|Map)\.groupBy\b|\bReadableStream\.from\b|\bError\.isError\b|\bRegExp\.escape\b|\bMath\.sumPrecise\b|\bIterator\.(?:from|concat)\b|\bUint8Array\.from(?:Base64|Hex)\b|\.(?:toBase64|toHex|isWellFormed|toWellFormed|isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference|transferToFixedLength|getOrInsert|getOrInsertComputed)\(|\.(?:union|intersection|difference)\(|\b(?:values|keys|entries)\(\)\.(?:map|filter|take|drop|flatMap|reduce|toArray|some|every|find)\(|\/[gimsuy]*v[gimsuy]*\.(?:test|exec)\(/g

const packageFile = (path: string) => fileURLToPath(new URL(`../../sdk/src/${path}`, import.meta.url))

test('the bundles for pages use nothing that is newer than the oldest browsers', async () => {
  const { outputFiles } = await build({
    ...{ bundle: true, write: false, format: 'esm', platform: 'browser', target: 'es2022', outdir: 'out' },
    // In our own code: ky and zod ask the runtime before they use such a function.
    external: ['react', 'file-type', 'ky', 'zod/mini'],
    conditions: ['@modelrun/source'],
    entryPoints: [packageFile('index.ts'), packageFile('react/index.ts')],
  })
  const used = outputFiles.flatMap(({ text }) => [...text.matchAll(NEWER)].map(([found]) => found))
  expect(used).toEqual([])
})
