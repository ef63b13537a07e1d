import { getCollection } from 'astro:content'
import { stripTypeScriptTypes } from 'node:module'
import { isRunnable } from '../../../play/blocks.ts'

/** The programs of a page that run in it, as JavaScript, by their text. */
export async function getStaticPaths() {
  const pages = await getCollection('docs')
  return pages.map(({ id, body = '' }) => ({ params: { page: id === 'index' ? undefined : id }, props: { body } }))
}

export function GET({ props: { body } }: { props: { body: string } }) {
  const blocks = [...body.matchAll(/```(?:ts|js|mjs)\n(.*?)```/gs)].map(([, code = '']) => code.trim())
  return Response.json(Object.fromEntries(blocks.filter(isRunnable).map((code) => [code, stripTypeScriptTypes(code)])))
}
