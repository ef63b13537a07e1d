import type { CallToolResult, InputRequiredResult, McpServer, ServerContext } from '@modelcontextprotocol/server'
import type { Run } from '@modelrun/durable'
import { memberOf } from '@modelrun/kit'
import type { ModelRun } from 'modelrun'
import { messageOf, UsageError } from '../errors.ts'
import { readModel } from '../models/read-model.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { cleanText } from '../terminal/text.ts'
import type { AgentRuns, AskedRun } from './agent-runs.ts'
import { questionAbout, reportRun } from './run-report.ts'
import { TOOLS } from './tools.ts'

/** What the tools work on. */
export interface ToolWork {
  protocol: typeof import('@modelcontextprotocol/server')
  client: ModelRun
  agentRuns: AgentRuns
  confirmAbove: number
  version: string
  terminal: Terminal
}

const READ_EVERY_MS = 200

/** Makes the server of one connection. */
export function createToolServer(work: ToolWork): McpServer {
  const { protocol, client, agentRuns, confirmAbove, terminal } = work
  const { runs } = agentRuns
  const server = new protocol.McpServer({ name: 'modelrun', version: work.version })

  function register<Input>(
    name: keyof typeof TOOLS,
    handle: (input: Input, context: ServerContext) => Promise<CallToolResult | InputRequiredResult>,
  ): void {
    const config = { ...TOOLS[name], inputSchema: protocol.fromJsonSchema<Input>(TOOLS[name].inputSchema) }
    server.registerTool(name, config, async (input, context) => {
      try {
        return await handle(input, context)
      } catch (error) {
        const text = terminal.redact(cleanText(messageOf(error)))
        return { isError: true, content: [{ type: 'text', text }] }
      }
    })
  }

  /** Hosts of the protocol of 2025 declare it once, those of 2026 in each call. */
  function canAsk({ mcpReq: { envelope } }: ServerContext): boolean {
    const declared = memberOf(envelope, protocol.CLIENT_CAPABILITIES_META_KEY) ?? server.server.getClientCapabilities()
    return memberOf(declared, 'elicitation') !== undefined
  }

  register<object>('search_models', async (query) => {
    const { models } = await client.models.list({ ...query, limit: 100 })
    return json(models.map(({ id, category, description, pricing }) => ({ id, category, description, ...pricing })))
  })
  register<{ model: string }>('describe_model', async ({ model }) => json(await readModel(client, model)))
  register<AskedRun & { max_credits?: number; wait_s?: number }>('run_model', async (asked, context) => {
    const plan = await agentRuns.plan(asked)
    if (plan.isNew) {
      const response = protocol.inputResponse(context.mcpReq.inputResponses, 'agree')
      const action = response.kind === 'elicit' ? response.action : undefined
      const consent = { confirmAbove, maxCredits: asked.max_credits, action, canAsk: canAsk(context) }
      const message = questionAbout(plan, consent)
      if (message !== undefined) {
        const question = { message, requestedSchema: { type: 'object' as const, properties: {} } }
        return protocol.inputRequired({ inputRequests: { agree: protocol.inputRequired.elicit(question) } })
      }
      await agentRuns.send(plan)
    }
    return reportRun(await waitForRun(() => runs.get(plan.key), asked.wait_s, context), agentRuns)
  })
  register<{ key: string; wait_s?: number }>('get_job', async ({ key, wait_s }, context) => {
    // A job whose polls were given up is polled again, which costs nothing.
    await runs.resolve(key)
    return reportRun(await waitForRun(() => runs.get(key), wait_s, context), agentRuns)
  })
  register<{ key: string }>('cancel_job', async ({ key }, context) => {
    await runs.cancel(key)
    return reportRun(await waitForRun(() => runs.get(key), 0, context), agentRuns)
  })
  return server
}

function json(value: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] }
}

/** The run when it has ended or needs the user, or when the time is over. @throws UsageError for an unknown key */
async function waitForRun(
  read: () => Promise<Run | undefined>,
  waitS = 20,
  { mcpReq: { signal, notify, _meta } }: ServerContext,
): Promise<Run> {
  const endsAt = performance.now() + waitS * 1_000
  const progressToken = _meta?.progressToken
  for (let progress = 1; ; progress++) {
    const run = await read()
    if (run === undefined) throw new UsageError('There is no run of this key.')
    const isUnderWay = run.state === 'waiting' || run.state === 'running'
    if (!isUnderWay || signal.aborted || performance.now() >= endsAt) return run
    // Some clients wait longer while there is progress.
    if (progressToken !== undefined && progress % 5 === 1) {
      await notify({ method: 'notifications/progress', params: { progressToken, progress, message: run.state } })
    }
    await new Promise((resolve) => setTimeout(resolve, READ_EVERY_MS))
  }
}
