import { type FoundColumn, VERSION_TABLE, versionOf } from '../engine/table-versions.ts'
import { checkProbe, wrongRows } from './postgres-connection.ts'
import type { PostgresLink } from './postgres-link.ts'
import { CHANGE_NOTHING, FIND_COLUMNS, migration, NEWEST, PROBE, VERSIONS } from './postgres-versions.ts'

/** How long a migration may take: it may have to wait for another process, or to read a large table. */
const MIGRATION_MS = 300_000

/** Checks the client, and creates or migrates the tables. */
export async function setUpTables(link: PostgresLink, schema: string | undefined): Promise<void> {
  const [probe] = await link.rows(PROBE, [])
  checkProbe(probe)
  // With tables of this version, the user needs no permission to create tables.
  if ((await versionIn(link)) !== VERSIONS.length) await link.run(migration(schema), MIGRATION_MS)
  const changed = await link.rows(CHANGE_NOTHING, [])
  if (changed.length > 0)
    throw wrongRows('returns more than the rows of a change, such as a list of rows and their number')
}

async function versionIn(link: PostgresLink): Promise<number> {
  for (;;) {
    const before = await columnsIn(link)
    const isKnown = before.some(({ table }) => table === VERSION_TABLE)
    const [row] = isKnown ? await link.rows(NEWEST, []) : []
    const found = await columnsIn(link)
    // Else another process has migrated between the statements.
    if (JSON.stringify(found) === JSON.stringify(before)) return versionOf(VERSIONS, found, Number(row?.version ?? 0))
  }
}

async function columnsIn(link: PostgresLink): Promise<FoundColumn[]> {
  return (await link.rows(FIND_COLUMNS, [])).map((row) => ({
    table: String(row.table_name),
    column: String(row.column_name),
    isRequired: row.is_required === true,
  }))
}
