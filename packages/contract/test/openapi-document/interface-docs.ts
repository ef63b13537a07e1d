import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'

/** The documentation comments of an interface and of its properties. */
export interface InterfaceDocs {
  text: string
  properties: Readonly<Record<string, PropertyDocs>>
}

/** The documentation of a property, besides its schema. */
export interface PropertyDocs {
  text: string
  /** Name of the property's type, such as `JobStatus`. */
  type: string
}

/**
 * The documentation comments of every interface and union type of a folder, by type name. The comments are written once,
 * in the source, and serve editors and the OpenAPI document.
 */
export function readInterfaceDocs(folder: URL): ReadonlyMap<string, InterfaceDocs> {
  const declarations = readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.includes('.test'))
    .flatMap((name) => declarationsOf(name, readFileSync(new URL(name, folder), 'utf8')))
  const byName = new Map(declarations.map((declaration) => [declaration.name.text, declaration]))
  return new Map([...byName.keys()].map((name) => [name, docsOf(byName, name)]))
}

type Declaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration

function declarationsOf(name: string, text: string): Declaration[] {
  const isDeclaration = (node: ts.Node): node is Declaration =>
    ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)
  return ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true).statements.filter(isDeclaration)
}

function docsOf(byName: ReadonlyMap<string, Declaration>, name: string): InterfaceDocs {
  const declaration = byName.get(name)
  if (declaration === undefined) throw new TypeError(`The contract has no interface ${name}.`)
  if (ts.isTypeAliasDeclaration(declaration)) return { text: commentOf(declaration), properties: {} }
  const parents = declaration.heritageClauses?.flatMap(({ types }) =>
    types.map(({ expression }) => expression.getText()),
  )
  const inherited = (parents ?? []).flatMap((parent) => Object.entries(docsOf(byName, parent).properties))
  const own = declaration.members
    .filter(ts.isPropertySignature)
    .map((member) => [member.name.getText(), docsOfMember(member)])
  return { text: commentOf(declaration), properties: Object.fromEntries([...inherited, ...own]) }
}

function docsOfMember(member: ts.PropertySignature): PropertyDocs {
  const type = member.type?.getText() ?? ''
  return { text: commentOf(member), type: type.replace(/ \| undefined$/, '').replace(/\[\]$/, '') }
}

function commentOf(node: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  return (ts.getTextOfJSDocComment(comment?.comment) ?? '').replaceAll(/\s*\n\s*/g, ' ').trim()
}
