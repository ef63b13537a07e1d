import { readdirSync, readFileSync } from 'node:fs'
import { root } from '../../../pages.mjs'

const TYPES = { svg: 'image/svg+xml', png: 'image/png' }

export function getStaticPaths() {
  return readdirSync(`${root}docs/images`).map((file) => ({ params: { file } }))
}

export function GET({ params: { file } }: { params: { file: string } }) {
  const type = TYPES[file.split('.').at(-1) as keyof typeof TYPES]
  return new Response(readFileSync(`${root}docs/images/${file}`), { headers: { 'content-type': type } })
}
